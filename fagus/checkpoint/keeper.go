package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// Config says what a Keeper does.
type Config struct {
	Store Store
	// Every is the least time of the run between two checkpoints; 0: every call of Checkpoint
	// makes one.
	Every time.Duration
	// Keep is how many checkpoints are kept; 0: 2.
	Keep int
	// Log is told of every checkpoint, and of what goes wrong; nil: slog.Default, of what goes
	// wrong only.
	Log *slog.Logger
}

// Keeper keeps the checkpoints of a job in a store. It is a fagus.Checkpointer.
type Keeper struct {
	cfg Config

	mu     sync.Mutex
	unlock func() error // of the store; nil: not locked yet
	next   uint64       // number of the next checkpoint; 0: not known yet
	last   fagus.Time   // when the last one was due
	cut    *Manifest    // of the cut that rank 0 has saved
	known  map[int]*memory
}

var _ fagus.Checkpointer = (*Keeper)(nil)

// New returns a Keeper. The process of each rank has one; in a single process all ranks have the
// same.
func New(cfg Config) *Keeper {
	if cfg.Keep <= 0 {
		cfg.Keep = 2
	}
	return &Keeper{cfg: cfg, known: map[int]*memory{}}
}

// Due implements fagus.Checkpointer. The first checkpoint is due when Every has passed.
func (k *Keeper) Due(ctx context.Context, now fagus.Time) (number uint64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now-k.last < fagus.Time(k.cfg.Every.Nanoseconds())*fagus.Nanosecond {
		return 0, nil
	}
	if err := k.begin(ctx); err != nil {
		return 0, err
	}
	k.last = now
	k.next++
	return k.next - 1, nil
}

// begin locks the store, and finds the next number. The lock is held.
func (k *Keeper) begin(ctx context.Context) error {
	if k.next > 0 {
		return nil
	}
	unlock, err := k.cfg.Store.Lock(ctx)
	if err != nil {
		return fmt.Errorf("checkpoint: %v: %w", k.cfg.Store, err)
	}
	k.unlock = unlock
	all, err := k.cfg.Store.List(ctx)
	if err != nil {
		return fmt.Errorf("checkpoint: %v: %w", k.cfg.Store, err)
	}
	k.next = 1
	for _, o := range all {
		if number, what := parseName(o.Name); what != unknown {
			k.next = max(k.next, number+1)
		}
	}
	return nil
}

// Save implements fagus.Checkpointer. It returns when the part of the rank is durable.
func (k *Keeper) Save(ctx context.Context, cut fagus.Cut) error {
	if cut.Rank == 0 {
		k.mu.Lock()
		k.cut = &Manifest{Format: Format, Number: cut.Number, Nodes: cut.Nodes, State: slices.Clone(cut.State), Arrays: cut.Arrays}
		k.mu.Unlock()
	}
	name := partName(cut.Number, cut.Rank)
	w, err := k.cfg.Store.Create(ctx, name)
	if err != nil {
		return fmt.Errorf("checkpoint: %v: %w", k.cfg.Store, err)
	}
	now, err := k.write(w, name, cut)
	if err == nil {
		err = w.Commit()
	} else {
		w.Abort()
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %s in %v: %w", name, k.cfg.Store, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[cut.Rank] = now
	return nil
}

// write writes what the rank owns, except for what it has saved already.
func (k *Keeper) write(w Writer, name string, cut fagus.Cut) (*memory, error) {
	k.mu.Lock()
	before := k.known[cut.Rank]
	k.mu.Unlock()
	if before.garbage(cut) {
		before = nil
	}
	p, err := newPartWriter(w, name)
	if err != nil {
		return nil, err
	}
	now := &memory{pieces: make(map[pieceKey]savedPiece, len(cut.Pieces)), objects: map[string]int64{}}
	for _, piece := range cut.Pieces {
		key := pieceKey{piece.Array, piece.Offset, len(piece.Data)}
		saved, ok := before.piece(key)
		if ok && saved.version == piece.Version {
			p.refer(saved.places)
		} else {
			saved = savedPiece{version: piece.Version}
			if saved.places, err = p.save(piece); err != nil {
				return nil, err
			}
		}
		now.pieces[key] = saved
	}
	if _, err := p.end(); err != nil {
		return nil, err
	}
	for _, earlier := range p.list {
		now.objects[earlier] = before.objects[earlier]
	}
	now.objects[name] = int64(p.at)
	return now, nil
}

func (m *memory) piece(key pieceKey) (savedPiece, bool) {
	if m == nil {
		return savedPiece{}, false
	}
	saved, ok := m.pieces[key]
	return saved, ok
}

// garbage reports whether the objects that m refers to have more bytes that are out of date than
// the cut has bytes: then all is saved anew.
func (m *memory) garbage(cut fagus.Cut) bool {
	if m == nil {
		return false
	}
	var all, live int64
	for _, bytes := range m.objects {
		all += bytes
	}
	for _, piece := range cut.Pieces {
		live += int64(len(piece.Data)) + entryBytes
	}
	return all > 2*live
}

// Commit implements fagus.Checkpointer.
func (k *Keeper) Commit(ctx context.Context, number uint64) error {
	k.mu.Lock()
	m := k.cut
	k.mu.Unlock()
	if m == nil || m.Number != number {
		return fmt.Errorf("checkpoint: number %d: rank 0 has not saved it", number)
	}
	for rank := range m.Nodes {
		part, err := k.part(ctx, number, rank)
		if err != nil {
			return fmt.Errorf("checkpoint: number %d: the part of rank %d cannot be read in %v, which all ranks must share: %w", number, rank, k.cfg.Store, err)
		}
		m.Parts = append(m.Parts, part)
	}
	m.Made = time.Now().UTC()
	text, err := m.encode()
	if err != nil {
		return fmt.Errorf("checkpoint: number %d: %w", number, err)
	}
	if err := put(ctx, k.cfg.Store, manifestName(number), text); err != nil {
		return fmt.Errorf("checkpoint: %s in %v: %w", manifestName(number), k.cfg.Store, err)
	}
	k.info("checkpoint", number, "ranks", m.Nodes)
	if err := k.clean(ctx); err != nil {
		k.Failed(number, fmt.Errorf("it is valid, but old ones cannot be removed: %w", err))
	}
	return nil
}

// part describes the part of a rank.
func (k *Keeper) part(ctx context.Context, number uint64, rank int) (Part, error) {
	name := partName(number, rank)
	r, err := k.cfg.Store.Open(ctx, name)
	if err != nil {
		return Part{}, err
	}
	defer r.Close()
	x, err := readIndex(r)
	if err != nil {
		return Part{}, err
	}
	return Part{Name: name, Bytes: r.Size(), Index: x.sum, Earlier: x.list}, nil
}

// put writes a small object.
func put(ctx context.Context, s Store, name string, b []byte) error {
	w, err := s.Create(ctx, name)
	if err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		w.Abort()
		return err
	}
	return w.Commit()
}

// clean removes checkpoints beyond Config.Keep, and parts that no checkpoint needs. Manifests go
// first: a checkpoint without parts would be a damaged one.
func (k *Keeper) clean(ctx context.Context) error {
	all, err := k.cfg.Store.List(ctx)
	if err != nil {
		return err
	}
	numbers, err := Numbers(ctx, k.cfg.Store)
	if err != nil {
		return err
	}
	kept := numbers[max(0, len(numbers)-k.cfg.Keep):]
	needed := map[string]bool{}
	for _, number := range kept {
		m, err := ReadManifest(ctx, k.cfg.Store, number)
		if err != nil {
			return nil // damaged: what it needs is not known, so that nothing is removed
		}
		for _, p := range m.Parts {
			needed[p.Name] = true
			for _, earlier := range p.Earlier {
				needed[earlier] = true
			}
		}
	}
	var failed []error
	for _, what := range []kind{aManifest, aPart} {
		for _, o := range all {
			number, is := parseName(o.Name)
			if is == what && number < kept[len(kept)-1] && !slices.Contains(kept, number) && !needed[o.Name] {
				failed = append(failed, k.cfg.Store.Remove(ctx, o.Name))
			}
		}
		if errors.Join(failed...) != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// Newest implements fagus.Checkpointer.
func (k *Keeper) Newest(ctx context.Context, below uint64) (number uint64, err error) {
	k.mu.Lock()
	err = k.begin(ctx)
	k.mu.Unlock()
	if err != nil {
		return 0, err
	}
	numbers, err := Numbers(ctx, k.cfg.Store)
	if err != nil {
		return 0, err
	}
	for _, n := range slices.Backward(numbers) {
		if n < below {
			return n, nil
		}
	}
	return 0, nil
}

// Open implements fagus.Checkpointer.
func (k *Keeper) Open(ctx context.Context, number uint64) (fagus.Checkpoint, error) {
	o, err := Open(ctx, k.cfg.Store, number)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Failed implements fagus.Checkpointer.
func (k *Keeper) Failed(number uint64, why error) {
	log := k.cfg.Log
	if log == nil {
		log = slog.Default()
	}
	log.Warn("fagus: "+why.Error(), "checkpoint", number)
}

func (k *Keeper) info(what string, number uint64, args ...any) {
	if k.cfg.Log != nil {
		k.cfg.Log.Info("fagus: "+what, append([]any{"number", number}, args...)...)
	}
}

// Finish implements fagus.Checkpointer.
func (k *Keeper) Finish(context.Context) error { return nil }

// Close gives the store back to other jobs.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unlock == nil {
		return nil
	}
	unlock := k.unlock
	k.unlock = nil
	return unlock()
}
