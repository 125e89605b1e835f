package local

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

// Run is one call of Network.Run on a network whose ranks share memory, as this process sees it.
type Run struct {
	// The fast paths read these fields. They are written before the threads start, except failed
	// (once) and crowded (when a thread comes or goes).
	network  string
	nics     []*memory.NIC // by rank
	limits   dimmnet.Limits
	start    time.Time
	procs    int         // number of processors of all ranks together
	released bool        // see Release
	failed   atomic.Bool // set after err, never cleared
	crowded  atomic.Bool // more threads want a processor than there are processors
	_        [CacheLine]byte

	// Mu guards the fields below, and may guard the fields of the embedding run.
	Mu      delay.Mutex
	err     error     // the first failure as ports report it; written once, before failed is set
	cause   error     // the same failure as Network.Run returns it
	threads []*Thread // threads of this process that have not returned, in no order
	started int       // number of threads that this process has started
	away    int       // number of bodies in other processes
	waiting int       // number of threads of this process in Event.Wait
	broken  chan struct{}
	over    chan struct{}
}

// Init prepares r for a run on nics, one per rank. away is the number of ranks in other processes,
// procs the number of processors of all ranks together.
func (r *Run) Init(network string, nics []*memory.NIC, limits dimmnet.Limits, procs, away int) {
	r.network, r.nics, r.limits, r.procs, r.away = network, nics, limits, procs, away
	r.start = time.Now()
	r.broken, r.over = make(chan struct{}), make(chan struct{})
}

// Release lets threads post words without a memory barrier (memory.Words.StoreRelease): a thread
// may then read whether the receiver sleeps before its post is visible there. Init comes before.
func (r *Run) Release() { r.released = true }

// Elapsed returns the time since Init.
func (r *Run) Elapsed() time.Duration { return time.Since(r.start) }

// Failed reports whether the run has failed.
func (r *Run) Failed() bool { return r.failed.Load() }

// Crowded reports whether more threads want a processor than there are processors.
func (r *Run) Crowded() bool { return r.crowded.Load() }

// Err returns the failure as ports report it, and nil if the run has not failed.
func (r *Run) Err() error {
	if !r.failed.Load() {
		return nil
	}
	return r.err // written before failed was set, and never again
}

// Break fails the run: Network.Run returns cause, and ports report shown. Break returns false if
// the run had failed already. Mu is held.
func (r *Run) Break(cause, shown error) bool {
	if r.err != nil {
		return false
	}
	r.cause, r.err = cause, shown
	delay.Here()
	r.failed.Store(true)
	close(r.broken)
	return true
}

// Wait waits until all threads of this process have returned, but at most grace after a failure.
// It returns nil or the failure. If threads have not returned, the error names them.
func (r *Run) Wait(grace time.Duration) error {
	select {
	case <-r.over:
	case <-r.broken:
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-r.over:
		case <-timer.C:
		}
	}
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if len(r.threads) > 0 {
		return fmt.Errorf("%s: ranks %s have not returned %v after the failure: %w", r.network, r.Labels(), grace, r.err)
	}
	return r.cause
}

// Threads returns the number of threads of this process that have not returned. Mu is held.
func (r *Run) Threads() int { return len(r.threads) }

// Labels lists the threads that have not returned, at most 32 of them. Mu is held.
func (r *Run) Labels() string {
	const most = 32
	threads := slices.SortedFunc(slices.Values(r.threads), func(a, b *Thread) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.number, b.number))
	})
	var list []string
	for _, t := range threads[:min(most, len(threads))] {
		list = append(list, t.Label())
	}
	if more := len(threads) - most; more > 0 {
		return fmt.Sprintf("%v and %d more", list, more)
	}
	return fmt.Sprint(list)
}

// Enter makes t a thread of rank. Mu is held.
func (r *Run) Enter(t *Thread, rank dimmnet.Rank, name string) {
	t.Host = NewHost(r.network, name, r.start, rank, len(r.nics), r.limits)
	t.run, t.own = r, r.nics[rank]
	t.at, t.number = len(r.threads), r.started
	r.threads = append(r.threads, t)
	r.started++
	r.recount()
}

// Leave removes t from the threads of the run. Mu is held.
func (r *Run) Leave(t *Thread) {
	last := len(r.threads) - 1
	r.threads[t.at] = r.threads[last]
	r.threads[t.at].at = t.at
	r.threads[last] = nil
	r.threads = r.threads[:last]
	t.at = returned
	r.recount()
	if last == 0 {
		close(r.over)
	}
}

// BeginWait sets *waited, which marks an event as waited for. The thread needs no processor until
// EndWait. BeginWait panics if another thread waits for the event. Mu is held.
func (r *Run) BeginWait(rank dimmnet.Rank, waited *bool) {
	if *waited {
		PanicWaited(r.network, rank)
	}
	*waited = true
	r.waiting++
	r.recount()
}

// EndWait undoes BeginWait. Mu is held.
func (r *Run) EndWait(waited *bool) {
	*waited = false
	r.waiting--
	r.recount()
}

// recount updates crowded. A thread in Event.Wait needs no processor; a thread in Idle needs one,
// now or at any time. Helper threads of other processes are not known here. Mu is held.
func (r *Run) recount() {
	if c := r.away+len(r.threads)-r.waiting > r.procs; c != r.crowded.Load() {
		r.crowded.Store(c)
	}
}
