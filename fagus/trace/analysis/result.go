package analysis

import (
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Result says where the time of a run has gone.
type Result struct {
	trace.About
	Total    Time     // from the begin of the first rank to the end of the last one
	Warnings []string // what is missing in the trace, or uncertain
	// Uncertain is how far the times of two ranks may be off from each other; 0 in virtual time.
	Uncertain Time

	Overall   Shares // of all ranks together
	Ranks     []Rank
	Matrix    []Cell
	Groups    []Group // variables, those with the longest waits and most bytes first
	Lines     []Line  // source lines, those with the most time first
	Path      Path
	Model     Model
	Advice    []Advice // what would save most first
	Timeline  *Timeline
	Variables int      // of the program
	Network   *Network // of a simulated network; nil without one
}

// Shares is a time for each cause.
type Shares [Causes]Time

// Total returns the sum of the times.
func (s *Shares) Total() (t Time) {
	for _, of := range s {
		t += of
	}
	return t
}

func (s *Shares) add(o *Shares) {
	for c := range o {
		s[c] += o[c]
	}
}

// Rank is how one rank has spent its time.
type Rank struct {
	Rank     int
	Shares   Shares
	Calls    int
	Arrived  uint64 // bytes of variables
	Sent     uint64 // bytes posted
	For      int    // the rank for which it has waited longest; none: -1
	ForTime  Time
	Failed   string
	Variable string // for which it has waited longest
	HeldTime Time
}

// Cell says how many bytes of variables went from the rank that wrote them to another one. From is
// -1 if the trace does not say who wrote them.
type Cell struct {
	From, To int
	Bytes    uint64
}

// Of analyses a trace.
func Of(t *trace.Trace) *Result {
	r := newRun(t)
	res := &Result{About: t.About, Variables: len(t.Variables)}
	res.warn(t)
	for i := range r.ranks {
		res.Total = max(res.Total, r.ranks[i].end-r.begin)
	}
	walk := newWalk(r, res)
	for i := range r.ranks {
		walk.rank(i)
	}
	walk.finish()
	waited, behind := res.network(r)
	res.Path = r.path(res.Timeline, func(rank int, from, to Time) {
		if number := r.ranks[rank].number; res.Network != nil {
			res.Network.Critical += waited[number].within(from, to)
			res.Network.Behind += behind[number].within(from, to)
		}
	})
	res.predict(r)
	return res
}

// warn says what is missing in a trace.
func (res *Result) warn(t *trace.Trace) {
	note := func(format string, args ...any) { res.Warnings = append(res.Warnings, fmt.Sprintf(format, args...)) }
	if missing := t.Nodes - len(t.Ranks); missing > 0 {
		note("%d of %d ranks are missing: they had not returned, or their processes wrote files of their own", missing, t.Nodes)
	}
	dropped, ranks := uint64(0), 0
	unknown := 0
	for i := range t.Ranks {
		of := &t.Ranks[i]
		if of.Dropped > 0 {
			dropped, ranks = dropped+of.Dropped, ranks+1
		}
		if of.Failed != "" {
			note("rank %d failed: %s", of.Rank, of.Failed)
		}
		if of.Uncertain == math.MaxInt64 {
			unknown++
		} else {
			res.Uncertain = max(res.Uncertain, of.Uncertain)
		}
	}
	if dropped > 0 {
		note("the first %d events of %s are missing: the trace keeps the last ones", dropped, count(ranks, "rank"))
	}
	if unknown > 0 {
		note("the clocks of %s are not aligned: they made no step together with rank %d", count(unknown, "rank"), t.Ranks[0].Rank)
	}
	if t.Clock != dimmnet.Virtual {
		note("times are those of a real machine: they differ from run to run")
	}
	if res.Uncertain > 0 {
		note("the clocks of processes are aligned within %v", res.Uncertain)
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
