package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// move is a Push of n bytes to the next rank, or a Pull from the previous one.
// Either way the bytes at to are then those that the previous rank has at from.
type move struct {
	pull     bool
	from, to dimmnet.Offset
	n        int
	done     dimmnet.Offset
	near     memory // where to look for bytes that should not have changed
}

// String is for messages.
func (m move) String() string {
	method := "a Push"
	if m.pull {
		method = "a Pull"
	}
	return fmt.Sprintf("%s of %d bytes from offset %d to %d", method, m.n, m.from, m.to)
}

// startMoves posts moves, and returns what waits until all are done. Until then
// other things may be done.
func (t *thread) startMoves(moves ...move) (wait func() error, err error) {
	for _, m := range moves {
		// Whatever is there, all 8 bytes of it must go.
		if err := t.storeWord(t.me, m.done, ^uint64(0)); err != nil {
			return nil, err
		}
	}
	if err := t.settle(); err != nil {
		return nil, err
	}
	for _, m := range moves {
		err := t.post(func() bool {
			if m.pull {
				return t.Pull(t.prev, m.from, m.to, m.n, m.done)
			}
			return t.Push(t.next, m.from, m.to, m.n, m.done)
		})
		if err != nil {
			return nil, err
		}
	}
	return func() error {
		for _, m := range moves {
			if err := t.awaitWord(m.done, uint64(m.n)); err != nil {
				return fmt.Errorf("porttest: %v: %w", m, err)
			}
		}
		return nil
	}, nil
}

// stage puts p into the own LLCM, and returns when it is there.
func (t *thread) stage(off dimmnet.Offset, p []byte) error {
	if err := t.write(t.me, off, p); err != nil {
		return err
	}
	return t.settle()
}
