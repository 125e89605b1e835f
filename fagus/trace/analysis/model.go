package analysis

import (
	"slices"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Model says how exactly the model of a run behaves as the run.
type Model struct {
	Time Time // of the model with nothing changed
	Run  Time // of the same part of the run
	Ok   bool // Time is near enough to Run for predictions
}

// farthest is how far the model may be from the run, as a share of the run.
const farthest = 0.25

// act is a call of a rank in the model, with the computing before it.
type act struct {
	work              Time
	call              rollcall.Call
	shared, exclusive []syncvar.ID
	cost              Time // from when the others are there and the variables free, to the return
	moving            Time // the part of cost in which data move
	copying           Time // the part of cost in which an Acquire makes copies to find writes
	arrived           uint64
	// What advice looks for.
	line  int32
	step  uint64
	of    *call
	after int32 // the line of the call before
}

// model has the acts of each rank.
type model struct {
	*run
	acts    [][]act
	scratch [][]act // of the change that is being tried
	agree   Time    // what a step without data takes
	first   uint64  // the steps before the model
	threads bool    // try the acts in Threaded mode
}

// newModel makes the acts of a run. Where first events are missing, it begins with the first step
// of which all ranks know.
func newModel(r *run) *model {
	m := &model{run: r, threads: !r.phases}
	cut := uint64(0)
	for i := range r.ranks {
		if calls := r.ranks[i].calls; r.Trace.Ranks[i].Dropped > 0 && len(calls) > 0 {
			cut = max(cut, calls[0].Number)
			if r.phases { // a Fence before the next step may be missing
				cut = max(cut, calls[0].Number+1)
			}
		}
	}
	var costs []Time
	for i := range r.ranks {
		acts := m.ofRank(&r.ranks[i])
		from := 0
		for k := range acts {
			of := acts[k].of
			stepped := of.Number > of.before || k == 0 && r.Trace.Ranks[i].Dropped > 0
			if stepped && of.Number <= cut {
				from = k + 1
			}
		}
		m.acts = append(m.acts, acts[from:])
		for _, a := range acts[from:] {
			if a.of.Number > a.of.before && a.moving == 0 && a.call != rollcall.End {
				costs = append(costs, a.cost-a.copying)
			}
		}
	}
	m.first, m.agree = cut, median(costs)
	if !r.phases {
		m.requests()
	}
	return m
}

func (m *model) ofRank(of *rank) []act {
	acts := make([]act, 0, len(of.calls))
	at, after := m.begin, int32(trace.None)
	for k := range of.calls {
		c := &of.calls[k]
		a := act{work: max(0, c.From-at), call: c.Call, cost: c.To - c.From, moving: c.moved.to - c.moved.from, copying: c.copied.to - c.copied.from, line: c.Line, step: c.Number, of: c, after: after}
		if c.Set >= 0 {
			a.shared, a.exclusive = m.Sets[c.Set].Shared, m.Sets[c.Set].Exclusive
		}
		for _, d := range c.arrived {
			a.arrived += d.Bytes
		}
		if met := m.met(c); len(met) > 0 {
			a.cost = c.To - min(c.To, max(c.From, met[len(met)-1].at))
		} else if c.Call == rollcall.Acquire {
			m.own(&a)
		}
		a.copying = min(a.copying, a.cost)
		a.moving = min(a.moving, a.cost-a.copying)
		acts = append(acts, a)
		at, after = c.To, c.Line
	}
	return acts
}

// own takes the waits for others from the cost of an Acquire without steps.
func (m *model) own(a *act) {
	from := a.of.From
	if last, _, ok := m.granted(a.of); ok {
		from = last.end
	}
	a.cost = a.of.To - from
	for _, w := range a.of.waits {
		if w.ID == trace.None {
			a.cost -= min(a.cost, w.To-max(from, min(w.From, w.To)))
		}
	}
}

// requests sets how long data move in an Acquire of Threaded mode: longer than without data.
func (m *model) requests() {
	const little = 256 // bytes that take no time of their own
	var costs []Time
	for _, acts := range m.acts {
		for _, a := range acts {
			if a.call == rollcall.Acquire && a.arrived <= little {
				costs = append(costs, a.cost-a.copying)
			}
		}
	}
	request := median(costs)
	for _, acts := range m.acts {
		for i := range acts {
			if a := &acts[i]; a.call == rollcall.Acquire && a.arrived > little && len(costs) > 0 {
				a.moving = max(a.moving, a.cost-a.copying-request)
			}
		}
	}
}

func median(times []Time) Time {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// part returns how long the run took from the step with which the model begins.
func (m *model) part() Time {
	from, to := m.begin, Time(0)
	if m.first > 0 {
		from = 0
		for i, acts := range m.acts {
			calls := m.ranks[i].calls
			if skipped := len(calls) - len(acts); skipped > 0 {
				from = max(from, calls[skipped-1].To)
			}
		}
	}
	for i := range m.ranks {
		to = max(to, m.ranks[i].end)
	}
	return to - from
}

// time returns how long the acts take; false if they cannot end.
func (m *model) time(acts [][]act) (Time, bool) {
	if m.threads {
		return m.inThreads(acts)
	}
	return m.inPhases(acts)
}

// try returns the time with one thing changed: change is called for each rank with the acts, which
// it may change, and returns those to make.
func (m *model) try(change func(rank int, acts []act) []act) (Time, bool) {
	if m.scratch == nil {
		m.scratch = make([][]act, len(m.acts))
	}
	for i, acts := range m.acts {
		m.scratch[i] = change(i, append(m.scratch[i][:0], acts...))
	}
	return m.time(m.scratch)
}
