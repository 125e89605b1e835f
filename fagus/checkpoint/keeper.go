package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// Config says what a Keeper does.
type Config struct {
	Store Store
	// Every is the least time of the run between two checkpoints; 0: every call of Checkpoint
	// makes one. No checkpoint begins while the previous one is still being written.
	Every time.Duration
	// Share is the largest part of the run's time that checkpoints may take, between 0 and 1: see
	// Cost.Took. They are made less often then. 0: no limit.
	Share float64
	// Copy is how many bytes each rank may copy, so that its program goes on while they are
	// written. A rank that owns more waits until all bytes are written.
	Copy int64
	// Keep is how many checkpoints are kept; 0: 2.
	Keep int
	// Program names the program. A run resumes only from a checkpoint of a program with this name,
	// or without one.
	Program string
	// Input lists what the results depend on besides the program, such as "--n=512" for each flag.
	// A run resumes only from a checkpoint with equal texts, or without any.
	Input []string
	// Log gets every checkpoint, and every problem; nil: slog.Default gets the problems only.
	Log *slog.Logger
}

// Keeper keeps the checkpoints of a job in a store. It is a fagus.Checkpointer.
type Keeper struct {
	cfg      Config
	patience time.Duration // defaultPatience, except in tests

	mu         sync.Mutex
	unlock     func() error  // of the store; nil: not locked yet
	next       uint64        // number of the next checkpoint; 0: not known yet
	last       fagus.Time    // when the last one was due
	cut        *Manifest     // of the cut that rank 0 has saved
	committing chan struct{} // closed when the last Commit is over; nil: there was none
	ranks      map[int]*rank
	found      uint64        // the newest checkpoint at the beginning
	damaged    []uint64      // checkpoints from before the run that could not be used
	valid      uint64        // the newest checkpoint that this Keeper made valid
	stopped    bool          // Due has reported that the run stops
	stopping   atomic.Bool   // Stop was called
	givenUp    uint64        // the newest checkpoint of which another rank lost its part
	tried      uint64        // the newest checkpoint whose manifest may be there
	unread     uint64        // the checkpoint whose unreadable manifest clean has reported
	closed     chan struct{} // closed by Close
	costs      costs
}

// rank is what a Keeper remembers of a rank. A rank's Save begins when its previous one is over.
type rank struct {
	known   *memory       // of the last checkpoint; nil: nothing can be referred to
	before  *memory       // known before the last part was saved
	saved   uint64        // the checkpoint of the last part; 0: it was removed
	copy    []byte        // reused
	writing chan struct{} // closed when the last Save is over; guarded by Keeper.mu
	lost    uint64        // the last checkpoint that could not be written; also guarded by mu
}

var _ fagus.Checkpointer = (*Keeper)(nil)

// New returns a Keeper. The process of each rank has one. Ranks in the same process share it.
func New(cfg Config) *Keeper {
	if cfg.Keep <= 0 {
		cfg.Keep = 2
	}
	cfg.Input = slices.Clone(cfg.Input)
	cfg.Program = strings.ToValidUTF8(cfg.Program, "\uFFFD") // as readers will decode it
	for i, text := range cfg.Input {
		cfg.Input[i] = strings.ToValidUTF8(text, "\uFFFD")
	}
	return &Keeper{cfg: cfg, patience: defaultPatience, ranks: map[int]*rank{}, closed: make(chan struct{})}
}

// Due implements fagus.Checkpointer. The first checkpoint is due when Every has passed.
func (k *Keeper) Due(ctx context.Context, now fagus.Time) (number uint64, stop bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	stop = k.stopping.Load()
	k.costs.cut(now)
	early := time.Duration((now-k.last)/fagus.Nanosecond) < k.cfg.Every || k.costs.dear(k.cfg.Share)
	if early && !stop || !over(k.committing) {
		return 0, false, nil
	}
	if err := k.begin(ctx); err != nil {
		return 0, false, err
	}
	k.last, k.stopped = now, stop
	k.next++
	return k.next - 1, stop, nil
}

// Begin implements fagus.Checkpointer. Versions and the time of a run begin anew.
func (k *Keeper) Begin(number int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.ranks, number)
	if number > 0 {
		return
	}
	k.last, k.givenUp = 0, 0
	k.costs = costs{begun: time.Now()}
	if k.stopped { // the run before was
		k.stopped = false
		k.stopping.Store(false)
	}
}

// Stop makes the next call of Checkpoint make a checkpoint and end the run with fagus.ErrStopped.
// Any goroutine may call it, in the process of any rank.
func (k *Keeper) Stop() { k.stopping.Store(true) }

// waitFor returns true when c is closed, or at once if c is nil. If that takes too long, or ctx
// ends, it returns false.
func (k *Keeper) waitFor(ctx context.Context, c chan struct{}) bool {
	if c == nil {
		return true
	}
	late := time.NewTimer(k.patience)
	defer late.Stop()
	select {
	case <-c:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// over reports whether c is closed or nil: the work has ended, or has never begun.
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
		return errors.Join(fmt.Errorf("checkpoint: %v: %w", k.cfg.Store, err), k.release())
	}
	next := uint64(1)
	for _, o := range all {
		if number, what := parseName(o.Name); what != unknown {
			next = max(next, number+1)
		}
	}
	if next >= mostNumber {
		return errors.Join(fmt.Errorf("checkpoint: %v has a file with the number %d, and none may be larger: remove it", k.cfg.Store, next-1), k.release())
	}
	k.next = next
	return nil
}

// release unlocks the store. The lock is held.
func (k *Keeper) release() error {
	if k.unlock == nil {
		return nil
	}
	unlock := k.unlock
	k.unlock = nil
	return unlock()
}

// Save implements fagus.Checkpointer. It returns when the part of the rank is durable, or copied.
func (k *Keeper) Save(ctx context.Context, cut fagus.Cut) error {
	r, before, done := k.rank(cut)
	if !k.waitFor(ctx, before) {
		go func() { // done closes after before
			<-before
			close(done)
		}()
		return cmp.Or(context.Cause(ctx), fmt.Errorf("checkpoint: the part before is still being written to %v, after %v", k.cfg.Store, k.patience))
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
		// A copy is worth saving even if the run fails meanwhile.
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
func (k *Keeper) Lost(ctx context.Context, number int, wait bool) (lost uint64, stop bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.ranks[number]
	if r == nil {
		return 0, k.stopping.Load()
	}
	if wait {
		writing := r.writing
		k.mu.Unlock()
		k.waitFor(ctx, writing) // when it returns, rank 0 gives up what it has not received
		k.mu.Lock()
	}
	return r.lost, k.stopping.Load()
}

// GiveUp implements fagus.Checkpointer.
func (k *Keeper) GiveUp(number uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.givenUp = max(k.givenUp, number)
}

// gaveUp reports whether a checkpoint was given up, so that nobody waits for its parts.
func (k *Keeper) gaveUp(number uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.givenUp >= number || over(k.closed) || k.ranks[0] != nil && k.ranks[0].lost >= number
}

// rank returns what is known of the rank of a cut. before closes when its last Save is over, and
// done when the present one is. rank keeps what the manifest needs of rank 0's cut.
func (k *Keeper) rank(cut fagus.Cut) (r *rank, before, done chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if cut.Rank == 0 {
		k.costs.begin()
		k.cut = &Manifest{Format: Format, Number: cut.Number, Program: k.cfg.Program, start: cut.Start, Nodes: cut.Nodes, State: slices.Clone(cut.State), Loop: cut.Loop, Input: k.cfg.Input, Arrays: cut.Arrays}
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

// copyOf replaces the data that must be saved by a copy, if they have at most most bytes.
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
	now, err := r.known.write(w, name, cut)
	if err == nil {
		err = w.Commit()
	} else {
		w.Abort()
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %s in %v: %w", name, k.cfg.Store, err)
	}
	r.before, r.known, r.saved = r.known, now, cut.Number
	return nil
}

// Newest implements fagus.Checkpointer.
func (k *Keeper) Newest(ctx context.Context, below uint64) (number uint64, err error) {
	k.mu.Lock()
	k.costs.resumes, k.costs.From = true, 0
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
			k.mu.Lock()
			k.found = max(k.found, n)
			k.mu.Unlock()
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
	if err := k.compare(o.Manifest); err != nil {
		o.Close()
		return nil, err
	}
	k.note(func(c *costs) { c.From = number })
	return o, nil
}

// compare returns an error if a checkpoint was made by another program, or with another
// Config.Input.
func (k *Keeper) compare(m *Manifest) error {
	if m.Program != "" && k.cfg.Program != "" && m.Program != k.cfg.Program {
		return &fagus.UnlikeError{What: fmt.Sprintf("checkpoint %d in %v was made by program %s, and this program is %s: keep its checkpoints elsewhere",
			m.Number, k.cfg.Store, m.Program, k.cfg.Program)}
	}
	if len(m.Input) == 0 || len(k.cfg.Input) == 0 || slices.Equal(m.Input, k.cfg.Input) {
		return nil
	}
	without := func(all, others []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(others, s) }), " ")
	}
	return &fagus.UnlikeError{What: fmt.Sprintf("checkpoint %d in %v was made with %s, and this run has %s: give it the same, or keep its checkpoints elsewhere",
		m.Number, k.cfg.Store, cmp.Or(without(m.Input, k.cfg.Input), "less"), cmp.Or(without(k.cfg.Input, m.Input), "less"))}
}

// Failed implements fagus.Checkpointer.
func (k *Keeper) Failed(number uint64, why error) {
	k.mu.Lock()
	if number <= k.found { // Resume could not use it
		k.damaged = append(k.damaged, number)
	} else {
		k.costs.waited()
		k.costs.end()
	}
	k.mu.Unlock()
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
	k.waitFor(ctx, committing)
	k.mu.Lock()
	return k.cut != nil && k.valid == k.cut.Number
}

// underway returns the channels of all that is being written.
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

// Close gives the store back to other jobs. After a second it gives up unfinished writes.
func (k *Keeper) Close() error {
	if over(k.closed) {
		return nil
	}
	close(k.closed)
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	for _, c := range k.underway() {
		k.waitFor(ctx, c)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.release()
}
