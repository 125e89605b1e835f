package region

import "fmt"

// Plan is what ranks do, step by step.
type Plan struct {
	nodes   int
	lengths []int // of the arrays, in elements
	steps   []step
	spans   []span
	open    []int // the spans that have not ended
}

// step is what ranks do to arrays.
type step struct {
	access []access // by rank and array
	parts  []Part   // by rank; nil if nobody has asked
	home   bool     // it is the input or the output
	output bool
	fenced bool // its phase ends with it
}

// access is what a rank does to an array in a step.
type access struct {
	reads, writes, overwrites Region
	// what of these lies where ranks meet: see zones
	exact [3][]Interval
}

// span are steps that may be executed again and again, or not at all.
type span struct {
	first, last int
	repeats     bool
}

func (s span) has(step int) bool { return s.first <= step && step <= s.last }

// NewPlan is a plan without steps, for arrays of so many elements.
func NewPlan(nodes int, lengths ...int) *Plan { return &Plan{nodes: nodes, lengths: lengths} }

// Nodes is how many ranks there are.
func (p *Plan) Nodes() int { return p.nodes }

// Step adds a step and returns its number, from 0.
func (p *Plan) Step() int {
	p.steps = append(p.steps, step{access: make([]access, p.nodes*len(p.lengths))})
	return len(p.steps) - 1
}

// Input adds a step in which rank 0 overwrites arrays.
func (p *Plan) Input(arrays ...int) int {
	s := p.Step()
	p.steps[s].home = true
	for _, a := range arrays {
		p.Overwrites(s, 0, a).Add(0, p.lengths[a])
	}
	return s
}

// Output adds a step in which rank 0 reads arrays.
func (p *Plan) Output(arrays ...int) int {
	s := p.Step()
	p.steps[s].home, p.steps[s].output = true, true
	for _, a := range arrays {
		p.Reads(s, 0, a).Add(0, p.lengths[a])
	}
	return s
}

// Repeat begins steps that are executed again and again, or not at all, in order, until End.
func (p *Plan) Repeat() { p.span(true) }

// Fence ends the phase of the last step: the ranks will meet for something else before the next.
func (p *Plan) Fence() { p.steps[len(p.steps)-1].fenced = true }

// Maybe begins steps that are executed once, or not at all, until End.
func (p *Plan) Maybe() { p.span(false) }

func (p *Plan) span(repeats bool) {
	p.open = append(p.open, len(p.spans))
	p.spans = append(p.spans, span{len(p.steps), len(p.steps) - 1, repeats})
}

// End ends what Repeat or Maybe began.
func (p *Plan) End() {
	last := len(p.open) - 1
	p.spans[p.open[last]].last = len(p.steps) - 1
	p.open = p.open[:last]
}

func (p *Plan) at(step, rank, array int) *access {
	return &p.steps[step].access[rank*len(p.lengths)+array]
}

// Reads says which elements of an array a rank reads in a step; it can be said in parts. What is outside of the array does not count,
// here and below.
func (p *Plan) Reads(step, rank, array int) *Region { return &p.at(step, rank, array).reads }

// Writes says which it writes, or may write.
func (p *Plan) Writes(step, rank, array int) *Region { return &p.at(step, rank, array).writes }

// Overwrites says which it writes certainly, and reads at most afterwards.
func (p *Plan) Overwrites(step, rank, array int) *Region { return &p.at(step, rank, array).overwrites }

// Owner is the last rank that writes an element in the steps so far; 0 if there is none.
func (p *Plan) Owner(array, element int) int {
	for s := len(p.steps) - 1; s >= 0; s-- {
		for rank := range p.nodes {
			if a := p.at(s, rank, array); a.writes.has(element) || a.overwrites.has(element) {
				return rank
			}
		}
	}
	return 0
}

// Part are iterations First, First+By and so on below End.
type Part struct{ First, End, By int }

// Count is how many there are.
func (p Part) Count() int { return max(0, (p.End-p.First+p.By-1)/p.By) }

// Block divides the iterations from lo below hi that are by apart: every rank gets those in its share of the numbers from low below
// high, of which all ranks have as many in a row, but for one.
func (p *Plan) Block(step, lo, hi, by, low, high int) {
	low, high = min(low, lo), max(high, hi)
	each, more := (high-low)/p.nodes, (high-low)%p.nodes
	p.divide(step, func(rank int) Part {
		from := low + rank*each + min(rank, more)
		to := from + each
		if rank < more {
			to++
		}
		first := lo
		if from > lo {
			first = lo + (from-lo+by-1)/by*by
		}
		return Part{first, min(to, hi), by}
	})
}

// Cyclic divides iterations so that ranks have them in turn: which, does not depend on lo and hi.
func (p *Plan) Cyclic(step, lo, hi, by int) {
	p.divide(step, func(rank int) Part {
		turn := lo / by
		if lo%by < 0 {
			turn--
		}
		ahead := ((rank-turn)%p.nodes + p.nodes) % p.nodes
		return Part{lo + ahead*by, hi, p.nodes * by}
	})
}

func (p *Plan) divide(step int, part func(rank int) Part) {
	parts := make([]Part, p.nodes)
	for rank := range parts {
		parts[rank] = part(rank)
	}
	p.steps[step].parts = parts
}

// Part is a rank's part of what a step divides.
func (p *Plan) Part(step, rank int) Part { return p.steps[step].parts[rank] }

// check reports a step in which one rank writes what another reads or writes. Private elements need no look.
func (p *Plan) check() error {
	for s := range p.steps {
		for array := range p.lengths {
			for rank := range p.nodes {
				a := p.at(s, rank, array)
				for other := range p.nodes {
					if b := p.at(s, other, array); other != rank && a.disturbs(b) {
						return fmt.Errorf("region: step %d: rank %d writes %v of array %d, and rank %d reads %v and writes %v", s, rank,
							a.written(), array, other, b.exact[reads], b.written())
					}
				}
			}
		}
	}
	return nil
}

// written are the elements that may be written, where ranks meet.
func (a *access) written() []Interval {
	return append(append([]Interval(nil), a.exact[writes]...), a.exact[overwrites]...)
}

// disturbs says that a writes what b reads or writes.
func (a *access) disturbs(b *access) bool {
	for _, w := range []touch{writes, overwrites} {
		for _, t := range []touch{reads, writes, overwrites} {
			if meet(a.exact[w], b.exact[t]) {
				return true
			}
		}
	}
	return false
}

// readyFor says whether a step is the output, and nobody but rank 0 writes what that reads in one before.
func (p *Plan) readyFor(before, step int) bool {
	for array := range p.lengths {
		for rank := 1; rank < p.nodes; rank++ {
			a := p.at(before, rank, array)
			if len(p.at(step, 0, array).reads.pieces) > 0 && len(a.writes.pieces)+len(a.overwrites.pieces) > 0 {
				return false
			}
		}
	}
	return p.steps[step].output && !p.steps[before].home
}

// together says whether a step needs no phase between it and those from first on: no rank reads or writes in one what
// another writes in the other, and they always follow each other.
func (p *Plan) together(first, step int) bool {
	for _, s := range p.spans {
		if s.has(first) != s.has(step) || s.first > first && s.first <= step {
			return false
		}
	}
	for ; first < step; first++ {
		if p.steps[first].fenced || p.steps[first].home != p.steps[step].home && !p.readyFor(first, step) {
			return false
		}
		for array := range p.lengths {
			for rank := range p.nodes {
				for other := range p.nodes {
					a, b := p.at(first, rank, array), p.at(step, other, array)
					if rank != other && (a.disturbs(b) || b.disturbs(a)) {
						return false
					}
				}
			}
		}
	}
	return true
}
