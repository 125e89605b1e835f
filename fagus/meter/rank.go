package meter

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

const (
	// Buckets is the number of buckets of a Histogram.
	Buckets   = 15
	firstBits = 8 // of the bound of the first bucket, in nanoseconds

	calls = int(rollcall.End) + 1
)

// Bound returns the longest duration that a bucket counts: 256 ns, and four times as long for each
// bucket that follows. The last bucket counts all longer ones.
func Bound(bucket int) time.Duration { return 1 << (firstBits + 2*bucket) }

func bucketOf(ns uint64) int {
	over := bits.Len64(max(ns, 1)-1) - firstBits
	return min(max(0, (over+1)/2), Buckets-1)
}

// Cause says why a rank waits for another one.
type Cause int

// The causes.
const (
	Held Cause = iota // the other rank has a variable that the call wants
	Late              // the other rank has not made its call yet
	Causes
)

// String returns the name of the cause in metrics.
func (c Cause) String() string { return [...]string{"held", "late"}[c] }

// Rank counts what one rank does. The goroutine of the rank adds; any goroutine may read.
type Rank struct {
	phases, posts, bytes, arrived atomic.Uint64

	calls [calls]histogram // by rollcall.Call
	waits [Causes]struct{ times, time atomic.Uint64 }

	checkpoint, lost atomic.Uint64
	saved            atomic.Int64 // when, in Unix time

	steps, end atomic.Uint64

	requests, takes atomic.Uint64
	writes          [Methods]atomic.Uint64

	links func() []dimmnet.Link // nil: the network has no connections

	failed atomic.Bool
}

// Method is how the writes of an exclusive tenure were found.
type Method int

// The methods.
const (
	Declared Method = iota // the program has declared them
	Twin                   // by a copy that was made when the tenure began
	Kept                   // by a copy that is kept
	Kernel                 // by the pages that the kernel reports
	Methods
)

// String returns the name of the method in metrics.
func (m Method) String() string { return [...]string{"declared", "twin", "kept", "kernel"}[m] }

type histogram struct {
	buckets [Buckets]atomic.Uint64
	time    atomic.Uint64
}

// Phase counts a phase.
func (r *Rank) Phase() { r.phases.Add(1) }

// Called counts a call and what the rank has posted and received in it.
func (r *Rank) Called(call rollcall.Call, took dimmnet.Time, posted dimmnet.Counters, arrived uint64) {
	ns := uint64(max(0, took) / dimmnet.Nanosecond)
	h := &r.calls[call]
	h.buckets[bucketOf(ns)].Add(1)
	h.time.Add(ns)
	if posts := posted.Stores + posted.Writes + posted.Pushes + posted.Pulls; posts > 0 {
		r.posts.Add(posts)
		r.bytes.Add(posted.Bytes)
	}
	if arrived > 0 {
		r.arrived.Add(arrived)
	}
}

// Waited counts a wait for another rank.
func (r *Rank) Waited(why Cause, took dimmnet.Time) {
	w := &r.waits[why]
	w.times.Add(1)
	w.time.Add(uint64(max(0, took) / dimmnet.Nanosecond))
}

// Saved records a checkpoint that was made, or not.
func (r *Rank) Saved(number uint64, err error) {
	if err != nil {
		r.lost.Add(1)
		return
	}
	r.checkpoint.Store(number)
	r.saved.Store(time.Now().UnixNano())
}

// Resumed records the checkpoint from which the run goes on.
func (r *Rank) Resumed(number uint64) { r.checkpoint.Store(number) }

// Stepped records how many steps the first loop of Steps or Rounds has made, of how many.
func (r *Rank) Stepped(steps, end uint64) {
	r.steps.Store(steps)
	r.end.Store(end)
}

// Requested records how many requests the rank has sent to others so far, and how many variables it
// has taken without one.
func (r *Rank) Requested(requests, takes uint64) {
	r.requests.Store(requests)
	r.takes.Store(takes)
}

// Wrote records in how many exclusive tenures each method has found the writes so far.
func (r *Rank) Wrote(tenures [Methods]uint64) {
	for m, n := range tenures {
		if r.writes[m].Load() != n { // to load costs less than to store
			r.writes[m].Store(n)
		}
	}
}

// Failed records that a call has failed.
func (r *Rank) Failed() { r.failed.Store(true) }

// Counts are what a rank has done in a run.
type Counts struct {
	Phases  uint64 `json:"phases"`
	Posts   uint64 `json:"posts"`   // remote stores, writes, pushes and pulls
	Bytes   uint64 `json:"bytes"`   // that it has posted
	Arrived uint64 `json:"arrived"` // bytes of variables that came from other ranks
	// Waits are by Cause.
	Waits [Causes]Wait `json:"waits"`
	// Checkpoint is the number of the newest one, 0: none. It was made at Saved; the zero time says
	// that the run resumed from it. Lost counts those that could not be made.
	Checkpoint uint64    `json:"checkpoint,omitempty"`
	Saved      time.Time `json:"saved,omitzero"`
	Lost       uint64    `json:"lost,omitempty"`
	// Steps of End are made in the first loop of Steps or Rounds.
	Steps  uint64 `json:"steps,omitempty"`
	End    uint64 `json:"end,omitempty"`
	Failed bool   `json:"failed,omitempty"`
	// Requests went to other ranks, for variables, and Takes are variables that were taken without
	// one: both only by helper threads.
	Requests uint64 `json:"requests,omitempty"`
	Takes    uint64 `json:"takes,omitempty"`
	// Writes are exclusive tenures by Method; none where ranks share one copy.
	Writes [Methods]uint64 `json:"writes"`
	// Calls are by rollcall.Call.
	Calls [calls]Histogram `json:"-"`
}

// Wait counts waits.
type Wait struct {
	Times uint64        `json:"times"`
	Time  time.Duration `json:"time"`
}

// Histogram counts calls by their durations: Bound bounds each bucket.
type Histogram struct {
	Buckets [Buckets]uint64
	Time    time.Duration // of all
}

// Counts returns what the rank has done up to now. A call that ends meanwhile may be in some of the
// fields only.
func (r *Rank) Counts() Counts {
	c := Counts{
		Phases: r.phases.Load(), Posts: r.posts.Load(), Bytes: r.bytes.Load(), Arrived: r.arrived.Load(),
		Checkpoint: r.checkpoint.Load(), Lost: r.lost.Load(), Steps: r.steps.Load(), End: r.end.Load(), Failed: r.failed.Load(),
	}
	for why := range r.waits {
		c.Waits[why] = Wait{r.waits[why].times.Load(), time.Duration(r.waits[why].time.Load())}
	}
	if at := r.saved.Load(); at != 0 {
		c.Saved = time.Unix(0, at)
	}
	c.Requests, c.Takes = r.requests.Load(), r.takes.Load()
	for m := range r.writes {
		c.Writes[m] = r.writes[m].Load()
	}
	for call := range r.calls {
		h := &r.calls[call]
		for i := range h.buckets {
			c.Calls[call].Buckets[i] = h.buckets[i].Load()
		}
		c.Calls[call].Time = time.Duration(h.time.Load())
	}
	return c
}
