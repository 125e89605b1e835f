package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	// makes one. No checkpoint begins while the one before is still being written.
	Every time.Duration
	// Copy is how many bytes each rank may copy, so that its program goes on while they are
	// written. A rank that owns more waits until all is written.
	Copy int64
	// Run identifies this start of the job: the same number at all ranks, and another one in every
	// start. A part that a rank of an earlier start still writes makes a checkpoint fail.
	Run uint32
	// Keep is how many checkpoints are kept; 0: 2.
	Keep int
	// Log is told of every checkpoint, and of what goes wrong; nil: slog.Default, of what goes
	// wrong only.
	Log *slog.Logger
}

// Keeper keeps the checkpoints of a job in a store. It is a fagus.Checkpointer.
type Keeper struct {
	cfg Config

	mu         sync.Mutex
	unlock     func() error  // of the store; nil: not locked yet
	next       uint64        // number of the next checkpoint; 0: not known yet
	last       fagus.Time    // when the last one was due
	cut        *Manifest     // of the cut that rank 0 has saved
	committing chan struct{} // closed when the last Commit is over; nil: there was none
	ranks      map[int]*rank
	valid      uint64        // the newest checkpoint that this Keeper has made valid
	stopping   bool          // Stop was called
	givenUp    uint64        // the newest checkpoint of which another rank has lost its part
	closed     chan struct{} // closed by Close
}

// rank is what a Keeper remembers of a rank. One Save of a rank begins when the one before is over.
type rank struct {
	known   *memory       // of the last checkpoint; nil: nothing can be referred to
	copy    []byte        // reused
	writing chan struct{} // closed when the last Save is over; guarded by Keeper.mu
	lost    uint64        // the last checkpoint that could not be written; likewise
}

var _ fagus.Checkpointer = (*Keeper)(nil)

// New returns a Keeper. The process of each rank has one; in a single process all ranks have the
// same.
func New(cfg Config) *Keeper {
	if cfg.Keep <= 0 {
		cfg.Keep = 2
	}
	return &Keeper{cfg: cfg, ranks: map[int]*rank{}, closed: make(chan struct{})}
}

// Due implements fagus.Checkpointer. The first checkpoint is due when Every has passed.
func (k *Keeper) Due(ctx context.Context, now fagus.Time) (number uint64, stop bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	early := now-k.last < fagus.Time(k.cfg.Every.Nanoseconds())*fagus.Nanosecond
	if early && !k.stopping || !over(k.committing) {
		return 0, false, nil
	}
	if err := k.begin(ctx); err != nil {
		return 0, false, err
	}
	k.last = now
	k.next++
	return k.next - 1, k.stopping, nil
}

// Stop makes the next call of Checkpoint make a checkpoint and end the run with fagus.ErrStopped.
// The process of rank 0 calls it, from any goroutine.
func (k *Keeper) Stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopping = true
}

// over reports whether what closes c is over, or has never begun.
func over(c chan struct{}) bool {
	if c == nil {
		return true
	}
	select {
	case <-c:
		return true
	default:
		return false
	}
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

// Save implements fagus.Checkpointer. It returns when the part of the rank is durable, or copied.
func (k *Keeper) Save(ctx context.Context, cut fagus.Cut) error {
	r, before, done := k.rank(cut)
	if before != nil {
		select {
		case <-before:
		case <-ctx.Done():
			close(done)
			return context.Cause(ctx)
		}
	}
	if r.known.garbage(cut) {
		r.known = nil
	}
	if k.cfg.Copy == 0 || !r.copyOf(&cut, k.cfg.Copy) {
		defer close(done)
		return k.save(ctx, r, cut)
	}
	go func() {
		defer close(done)
		// What is copied is worth keeping, even if the run fails meanwhile.
		if err := k.save(context.WithoutCancel(ctx), r, cut); err != nil {
			k.lost(r, cut.Number)
			k.Failed(cut.Number, err)
		}
	}()
	return nil
}

func (k *Keeper) lost(r *rank, number uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r.lost = number
}

// Lost implements fagus.Checkpointer.
func (k *Keeper) Lost(ctx context.Context, number int, wait bool) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.ranks[number]
	if r == nil {
		return 0
	}
	if wait {
		writing := r.writing
		k.mu.Unlock()
		select {
		case <-writing:
		case <-ctx.Done():
		}
		k.mu.Lock()
	}
	return r.lost
}

// GiveUp implements fagus.Checkpointer.
func (k *Keeper) GiveUp(number uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.givenUp = max(k.givenUp, number)
}

// gaveUp reports whether the parts of a checkpoint need not be awaited.
func (k *Keeper) gaveUp(number uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.givenUp >= number || over(k.closed) || k.ranks[0] != nil && k.ranks[0].lost >= number
}

// rank returns what is known of the rank of a cut, and what closes when its last Save and its
// present one are over. It keeps what the manifest needs of rank 0's cut.
func (k *Keeper) rank(cut fagus.Cut) (r *rank, before, done chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if cut.Rank == 0 {
		k.cut = &Manifest{Format: Format, Number: cut.Number, Nodes: cut.Nodes, State: slices.Clone(cut.State), Arrays: cut.Arrays}
	}
	r = k.ranks[cut.Rank]
	if r == nil {
		r = new(rank)
		k.ranks[cut.Rank] = r
	}
	before, done = r.writing, make(chan struct{})
	r.writing = done
	return r, before, done
}

// copyOf replaces the data that must be saved by a copy, if it has at most so many bytes.
func (r *rank) copyOf(cut *fagus.Cut, most int64) bool {
	var bytes int64
	for _, p := range cut.Pieces {
		if !r.known.has(p) {
			bytes += int64(len(p.Data))
		}
	}
	if bytes > most {
		return false
	}
	if int64(cap(r.copy)) < bytes {
		r.copy = make([]byte, bytes)
	}
	rest := r.copy[:cap(r.copy)]
	for i, p := range cut.Pieces {
		if !r.known.has(p) {
			n := copy(rest, p.Data)
			cut.Pieces[i].Data, rest = rest[:n:n], rest[n:]
		}
	}
	return true
}

// save writes the part of a rank.
func (k *Keeper) save(ctx context.Context, r *rank, cut fagus.Cut) error {
	name := partName(cut.Number, cut.Rank)
	w, err := k.cfg.Store.Create(ctx, name)
	if err != nil {
		return fmt.Errorf("checkpoint: %v: %w", k.cfg.Store, err)
	}
	now, err := r.known.write(w, name, k.cfg.Run, cut)
	if err == nil {
		err = w.Commit()
	} else {
		w.Abort()
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %s in %v: %w", name, k.cfg.Store, err)
	}
	r.known = now
	return nil
}

// patience is how long rank 0 waits for the parts of ranks that write while they compute.
const patience = time.Minute

// Commit implements fagus.Checkpointer. With Config.Copy it returns at once.
func (k *Keeper) Commit(ctx context.Context, number uint64) error {
	done := make(chan struct{})
	k.mu.Lock()
	m := k.cut
	k.committing = done
	k.mu.Unlock()
	if m == nil || m.Number != number {
		close(done)
		return fmt.Errorf("checkpoint: number %d: rank 0 has not saved it", number)
	}
	if k.cfg.Copy == 0 {
		defer close(done)
		return k.commit(ctx, m, time.Now())
	}
	go func() {
		defer close(done)
		if err := k.commit(context.WithoutCancel(ctx), m, time.Now().Add(patience)); err != nil {
			k.Failed(number, err)
		}
	}()
	return nil
}

// commit writes the manifest when all parts are there.
func (k *Keeper) commit(ctx context.Context, m *Manifest, deadline time.Time) error {
	for rank := range m.Nodes {
		part, err := k.part(ctx, m.Number, rank)
		for pause := time.Millisecond; errors.Is(err, fs.ErrNotExist) && time.Now().Before(deadline) && !k.gaveUp(m.Number); pause = min(2*pause, 100*time.Millisecond) {
			time.Sleep(pause)
			part, err = k.part(ctx, m.Number, rank)
		}
		if err != nil {
			return fmt.Errorf("checkpoint: number %d: the part of rank %d cannot be read in %v, which all ranks must share: %w", m.Number, rank, k.cfg.Store, err)
		}
		m.Parts = append(m.Parts, part)
	}
	m.Made = time.Now().UTC()
	text, err := m.encode()
	if err != nil {
		return fmt.Errorf("checkpoint: number %d: %w", m.Number, err)
	}
	if err := put(ctx, k.cfg.Store, manifestName(m.Number), text); err != nil {
		return fmt.Errorf("checkpoint: %s in %v: %w", manifestName(m.Number), k.cfg.Store, err)
	}
	k.mu.Lock()
	k.valid = m.Number
	k.mu.Unlock()
	k.info("checkpoint", m.Number, "ranks", m.Nodes)
	if err := k.clean(ctx); err != nil {
		k.Failed(m.Number, fmt.Errorf("it is valid, but old ones cannot be removed: %w", err))
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
	if x.run != k.cfg.Run {
		return Part{}, fmt.Errorf("%s is of another start of the job (%08x): this one is %08x", name, x.run, k.cfg.Run)
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
func (k *Keeper) Finish(ctx context.Context) (valid bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.committing == nil {
		return false
	}
	committing := k.committing
	k.mu.Unlock()
	select {
	case <-committing:
	case <-ctx.Done():
	}
	k.mu.Lock()
	return k.cut != nil && k.valid == k.cut.Number
}

// underway returns the channels of what is being written.
func (k *Keeper) underway() (all []chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.ranks {
		if r.writing != nil {
			all = append(all, r.writing)
		}
	}
	if k.committing != nil {
		all = append(all, k.committing)
	}
	return all
}

// closing is how long Close waits.
const closing = time.Second

// Close gives the store back to other jobs. It gives up what is still being written, after a
// second.
func (k *Keeper) Close() error {
	if over(k.closed) {
		return nil
	}
	close(k.closed)
	late := make(chan struct{})
	defer time.AfterFunc(closing, func() { close(late) }).Stop()
	for _, c := range k.underway() {
		select {
		case <-c:
		case <-late:
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unlock == nil {
		return nil
	}
	return k.unlock()
}
