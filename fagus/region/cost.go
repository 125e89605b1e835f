package region

import (
	"cmp"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// Assumed times of a processor and of memory, in ns. A factor of two between machines matters
// little: a prediction compares costs that differ by ten.
const (
	accessTime   = 0.4  // an access to an element in an innermost loop, with what is computed
	copyTime     = 0.3  // copying a byte of the input or the output, in memory that is used first
	sendTime     = 1.0  // moving a byte between ranks that have copies of their own
	scatterTime  = 500  // moving an element that is not beside another one
	planTime     = 50e3 // planning a step, if all ranks have copies of their own
	divisionTime = 1000 // dividing a step, if ranks compute in place, for each rank
	// phaseMeetings is how many Barriers a step takes: an Acquire, a Release and a Fence.
	phaseMeetings = 3
	// UnknownTimes is the assumed number of iterations of a loop with unknown bounds.
	UnknownTimes = 16
)

// Cost predicts what a call costs on all ranks and on one rank, from the loops of the function and
// the time of a meeting, which the node measures once.
//
//	c := region.NewCost(p)
//	region.Copied(c, a, true)
//	c.Repeat(steps)
//	c.Step()
//	c.Works(n-2, 6, (n-2)*(n-2)) // ranks divide n-2 rows with n-2 iterations of 6 accesses each
//	c.End()
//	if c.Alone() { ... } // the call is cheaper on rank 0 alone
//
// The prediction is the same on all ranks.
type Cost struct {
	Estimate
	p     *Program
	never bool // the call must not run on one rank
}

// mostPlanned bounds the number of steps to plan: a call with more steps runs on one rank.
const mostPlanned = 1 << 16

// Estimate is the work of a call, before it is divided among ranks.
type Estimate struct {
	Ranks     int     // that share the work
	Steps     float64 // that ranks execute together
	Plans     float64 // steps that must be planned
	Divided   float64 // ns of work that ranks divide
	Share     float64 // ns of the largest shares of it
	Single    float64 // ns of all other work
	Bytes     float64 // of the input and the output
	Scattered float64 // elements that ranks write one by one, at a distance from each other

	times []float64 // of the open repetitions, multiplied
}

// NewCost returns a Cost without steps.
func NewCost(p *Program) *Cost {
	n := p.node
	return &Cost{Estimate: Estimate{Ranks: n.Nodes()}, p: p, never: n.Virtual() || n.Checks() || p.store.together}
}

// Settled reports whether Alone does not depend on what follows, so that counting can end.
func (c *Cost) Settled() bool { return c.never || c.Plans > mostPlanned }

// Copied says that a is an array of the caller, and whether it is also output.
func Copied[S ~[]T, T any](c *Cost, a S, output bool) {
	var zero T
	e := occupiedBy("", a)
	c.Copy(float64(len(a))*float64(unsafe.Sizeof(zero)), output)
	c.never = c.never || len(a) > 0 && c.p.store.common == nil && c.p.store.at(e.from, e.to) != nil
}

// CopiedRows is Copied for a slice of slices.
func CopiedRows[S ~[]R, R ~[]T, T any](c *Cost, rows S, output bool) {
	var zero T
	c.Copy(float64(len(rows))*float64(Columns(rows))*float64(unsafe.Sizeof(zero)), output)
}

// Repeat begins a part of the function that runs so many times; -1: an unknown number.
func (c *Cost) Repeat(times int) {
	if times < 0 {
		times = UnknownTimes
	}
	c.Again(float64(times))
}

// Scatters says how many elements ranks write in a step one by one, at a distance from each other.
func (c *Cost) Scatters(elements int) { c.Scatter(float64(elements)) }

// Works adds work to a step: iterations with so many accesses to elements each. Ranks divide them
// into so many parts; 0: they do not.
func (c *Cost) Works(parts, accesses, iterations int) {
	c.Work(parts, accesses, float64(iterations))
}

// OneRank returns how long the call takes on one rank, in ns.
func (e *Estimate) OneRank() float64 { return e.Divided + e.Single }

// AllRanks returns how long it takes on all ranks, in ns, if a Barrier takes meeting.
func (e *Estimate) AllRanks(meeting float64, how Manner) float64 {
	t, ranks := e.Share+e.Single, float64(e.Ranks)
	switch how {
	case InPlace:
		return t + meeting*(e.Steps+1) + divisionTime*ranks*e.Plans
	case OneCopy:
		t += copyTime * e.Bytes
	case Copies:
		t += (copyTime+sendTime*(ranks-1)/ranks)*e.Bytes + scatterTime*e.Scattered
	}
	return t + phaseMeetings*meeting*e.Steps + planTime*e.Plans
}

// Alone reports whether the call runs on one rank, if a Barrier takes meeting.
func (e *Estimate) Alone(meeting float64, how Manner) bool {
	return e.Plans > mostPlanned || e.OneRank() < e.AllRanks(meeting, how)
}

// Copy adds bytes of the input, and, if output is set, as many of the output.
func (e *Estimate) Copy(bytes float64, output bool) {
	if e.Bytes += bytes; output {
		e.Bytes += bytes
	}
}

// Again begins a part of the function that runs so many times.
func (e *Estimate) Again(times float64) { e.times = append(e.times, e.now()*times) }

// End ends the part that the last open Again, or Repeat, has begun.
func (e *Estimate) End() { e.times = e.times[:len(e.times)-1] }

func (e *Estimate) now() float64 {
	if n := len(e.times); n > 0 {
		return e.times[n-1]
	}
	return 1
}

// Step adds a step.
func (e *Estimate) Step() {
	e.Steps += e.now()
	e.Plans++
}

// Scatter adds elements, as Cost.Scatters.
func (e *Estimate) Scatter(elements float64) { e.Scattered += e.now() * elements }

// Work adds work, as Cost.Works.
func (e *Estimate) Work(parts, accesses int, iterations float64) {
	work := e.now() * accessTime * float64(accesses) * iterations
	if parts <= 0 {
		e.Single += work
		return
	}
	e.Divided += work
	e.Share += work * float64((parts+e.Ranks-1)/e.Ranks) / float64(parts)
}

// Manner is how ranks share arrays.
type Manner int

// The manners.
const (
	Copies  Manner = iota // every rank has copies of its own
	OneCopy               // they have copies in common; the input and the output are copied
	InPlace               // nothing is copied
)

// String describes the manner.
func (m Manner) String() string { return [...]string{"with copies", "in shared memory", "in place"}[m] }

func (s *store) manner() Manner {
	switch {
	case s.common != nil:
		return InPlace
	case s.node.OneCopy():
		return OneCopy
	}
	return Copies
}

// Alone reports whether the call is cheaper on rank 0 alone than on all ranks. If so, the call is
// over for the Program: rank 0 calls the sequential function. It is collective. It returns false on
// simulated networks, where programs are compared, and with Config.Check, which checks the plan. It
// also returns false if the call uses resident arrays of which ranks have copies.
func (c *Cost) Alone() (alone bool, err error) {
	n := c.p.node
	s := c.p.store
	if c.never {
		return false, nil
	}
	// Ranks that only make calls on one rank would never find out that the run has failed.
	if err := n.Err(); err != nil {
		return false, err
	}
	if n.Nodes() > 1 && c.Plans <= mostPlanned {
		meeting, err := s.measure()
		if err != nil {
			return false, err
		}
		if s.names[c.p.name] {
			c.Plans = 0
		}
		if !c.Estimate.Alone(meeting, s.manner()) {
			return false, nil
		}
	}
	s.calls.add(c.p)
	s.done.Alone++
	return true, nil
}

// measure returns the time of a Barrier in ns, which it measures at the first call.
func (s *store) measure() (float64, error) {
	const samples, barriers = 5, 16
	if s.meeting > 0 {
		return s.meeting, nil
	}
	best := 0.0
	for range samples {
		begun := s.node.Now()
		for range barriers {
			if err := s.node.Barrier(); err != nil {
				return 0, err
			}
		}
		took := float64(s.node.Now()-begun) / float64(fagus.Nanosecond) / barriers
		if best == 0 || took < best {
			best = took
		}
	}
	var err error
	s.meeting, err = fagus.Reduce(s.node, cmp.Or(best, 1), func(a, b float64) float64 { return max(a, b) })
	return s.meeting, err
}

// Together makes further calls on this node run on all ranks, even if one rank were faster.
func Together(n *fagus.Node) { storeOf(n).together = true }

// Tell gives all ranks a result of rank 0.
func Tell[T fagus.Word](n *fagus.Node, result T) (T, error) {
	return fagus.Reduce(n, result, func(first, _ T) T { return first })
}
