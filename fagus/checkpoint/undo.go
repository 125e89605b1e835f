package checkpoint

import (
	"context"
	"fmt"
)

// Undone implements fagus.Checkpointer. Writing a manifest may fail although the manifest is there
// afterwards: such a checkpoint stays until another one is valid.
func (k *Keeper) Undone(number uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return number > k.tried && over(k.committing)
}

// Undo implements fagus.Checkpointer. Each rank removes its own part, to which no other rank
// refers. Its next part refers to the same earlier parts. With Config.Copy Undo returns at once.
func (k *Keeper) Undo(ctx context.Context, number uint64, rank int) {
	k.mu.Lock()
	r := k.ranks[rank]
	if r == nil || !over(r.writing) || r.saved != number {
		k.mu.Unlock()
		return
	}
	done := make(chan struct{})
	r.writing = done
	k.mu.Unlock()
	undo := func() {
		defer close(done)
		r.known, r.before, r.saved = r.before, nil, 0
		if err := k.cfg.Store.Remove(ctx, partName(number, rank)); err != nil {
			k.Failed(number, fmt.Errorf("checkpoint: what is left of number %d cannot be removed from %v: %w", number, k.cfg.Store, err))
		}
	}
	if k.cfg.Copy == 0 {
		undo()
		return
	}
	ctx = context.WithoutCancel(ctx)
	go undo()
}
