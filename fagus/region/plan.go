package region

import "fmt"

// Plan states what each rank does in each step of a program.
type Plan struct {
	nodes   int
	lengths []int // lengths of the arrays, in elements
	steps   []step
	spans   []span
	open    []int // indexes of the spans that have not ended
	// call says that the plan is executed again and again, with arrays that other plans use in
	// between: at the begin no rank has current copies, apart from what the step entry says.
	call  bool
	holds bool // ranks hold whatever they use, so that Config.Check can check the plan
	// alias has for each array the first one in the same memory: often itself. nil: all differ.
	alias  []int
	states []*state // of arrays that stay between calls; nil for others
}

type step struct {
	access []access     // of array a by rank r at index r*arrays+a
	loop   []Iterations // iterations by rank; nil if the step divides no loop
	home   bool         // the step moves data from or to rank 0: it is the input or the output
	output bool         // the step is the output
	fenced bool         // the step is the last of its phase
	// virtual says that no rank executes the step. It says who has, or will need, current copies.
	virtual bool
}

type access struct {
	regions [3]Region // the accessed elements, by touch
	// exact holds, by touch, the part of regions that several ranks use; set by classes.
	exact [3][]Interval
}

// span is a sequence of steps that may be skipped, or repeated.
type span struct {
	first, last int
	repeats     bool
}

func (s span) has(step int) bool { return s.first <= step && step <= s.last }

// NewPlan returns a plan without steps for arrays of the given lengths, in elements. Arrays
// are numbered from 0.
func NewPlan(nodes int, lengths ...int) *Plan { return &Plan{nodes: nodes, lengths: lengths} }

// Nodes returns the number of ranks.
func (p *Plan) Nodes() int { return p.nodes }

// Step adds a step and returns its number. Steps are numbered from 0.
func (p *Plan) Step() int {
	p.steps = append(p.steps, step{access: make([]access, p.nodes*len(p.lengths))})
	return len(p.steps) - 1
}

// Input adds a step in which rank 0 overwrites the given arrays with the program's input.
// It returns the number of the step.
func (p *Plan) Input(arrays ...int) int {
	s := p.Step()
	p.steps[s].home = true
	for _, a := range arrays {
		p.Overwrites(s, 0, a).Add(0, p.lengths[a])
	}
	return s
}

// Output adds a step in which rank 0 reads the given arrays, the program's output. It
// returns the number of the step.
func (p *Plan) Output(arrays ...int) int {
	s := p.Step()
	p.steps[s].home, p.steps[s].output = true, true
	for _, a := range arrays {
		p.Reads(s, 0, a).Add(0, p.lengths[a])
	}
	return s
}

// Repeat begins a sequence of steps that is executed any number of times, or never; End ends it.
func (p *Plan) Repeat() { p.span(true) }

// Fence ends the phase after the last step added. A plan needs a Fence where the ranks make
// another collective call, such as Reduce, before the next step.
func (p *Plan) Fence() { p.steps[len(p.steps)-1].fenced = true }

// Maybe begins a sequence of steps that is executed once or never; End ends it.
func (p *Plan) Maybe() { p.span(false) }

func (p *Plan) span(repeats bool) {
	p.open = append(p.open, len(p.spans))
	p.spans = append(p.spans, span{len(p.steps), len(p.steps) - 1, repeats})
}

// End ends the sequence that the last open Repeat or Maybe began.
func (p *Plan) End() {
	last := len(p.open) - 1
	p.spans[p.open[last]].last = len(p.steps) - 1
	p.open = p.open[:last]
}

func (p *Plan) at(step, rank, array int) *access {
	if p.alias != nil {
		array = p.alias[array]
	}
	return &p.steps[step].access[rank*len(p.lengths)+array]
}

// Reads returns the set of elements of an array that a rank reads in a step. The caller adds
// elements to the set. Elements outside the array are ignored, also by Writes and Overwrites.
func (p *Plan) Reads(step, rank, array int) *Region { return p.region(step, rank, array, reads) }

// Writes returns the set of elements that a rank writes, or may write, in a step.
func (p *Plan) Writes(step, rank, array int) *Region { return p.region(step, rank, array, writes) }

// Overwrites returns the set of elements that a rank certainly writes in a step, and does not read
// before that write.
func (p *Plan) Overwrites(step, rank, array int) *Region {
	return p.region(step, rank, array, overwrites)
}
func (p *Plan) region(step, rank, array int, t touch) *Region {
	return &p.at(step, rank, array).regions[t]
}

// Owner returns the rank that is the last to write an element in the steps so far. If no rank
// writes the element, it returns the first one that has a current copy from before, or else 0.
func (p *Plan) Owner(array, element int) int {
	for s := len(p.steps) - 1; s >= 0; s-- {
		for rank := range p.nodes {
			if p.Writes(s, rank, array).has(element) || p.Overwrites(s, rank, array).has(element) {
				return rank
			}
		}
	}
	if p.stays(array) {
		return p.states[array].first(element)
	}
	return 0
}

// Iterations is a set of iterations of a loop: First, First+By, and so on below End.
type Iterations struct{ First, End, By int }

// Count returns the number of iterations.
func (i Iterations) Count() int { return max(0, (i.End-i.First+i.By-1)/i.By) }

// Block divides the iterations lo, lo+by, and so on below hi into one block per rank. The interval
// [low, high) is split into consecutive parts whose sizes differ by one at most, and each rank
// gets the iterations in its part. Loops with the same low and high thus have the same division.
func (p *Plan) Block(step, lo, hi, by, low, high int) {
	low, high = min(low, lo), max(high, hi)
	each, more := (high-low)/p.nodes, (high-low)%p.nodes
	p.divide(step, func(rank int) Iterations {
		from := low + rank*each + min(rank, more)
		to := from + each
		if rank < more {
			to++
		}
		first := lo
		if from > lo {
			first = lo + (from-lo+by-1)/by*by
		}
		return Iterations{first, min(to, hi), by}
	})
}

// Cyclic divides the iterations lo, lo+by, and so on below hi among the ranks in turn. The rank of
// an iteration depends only on by and the number of the iteration, not on lo and hi.
func (p *Plan) Cyclic(step, lo, hi, by int) {
	p.divide(step, func(rank int) Iterations {
		turn := lo / by
		if lo%by < 0 {
			turn--
		}
		ahead := ((rank-turn)%p.nodes + p.nodes) % p.nodes
		return Iterations{lo + ahead*by, hi, p.nodes * by}
	})
}

func (p *Plan) divide(step int, share func(rank int) Iterations) {
	loop := make([]Iterations, p.nodes)
	for rank := range loop {
		loop[rank] = share(rank)
	}
	p.steps[step].loop = loop
}

// Iterations returns the iterations that a rank executes in a step.
func (p *Plan) Iterations(step, rank int) Iterations { return p.steps[step].loop[rank] }

func (p *Plan) check() error {
	for s := range p.steps {
		for array := range p.lengths {
			for rank := range p.nodes {
				a := p.at(s, rank, array)
				for other := range p.nodes {
					if b := p.at(s, other, array); other != rank && a.disturbs(b) {
						return fmt.Errorf("region: step %d: rank %d writes elements %v of array %d, but rank %d reads %v and writes %v in the same step", s, rank,
							a.written(), array, other, b.exact[reads], b.written())
					}
				}
			}
		}
	}
	return nil
}

func (a *access) written() []Interval {
	return append(append([]Interval(nil), a.exact[writes]...), a.exact[overwrites]...)
}

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

// readyFor reports whether step is the output and may join the phase of an earlier step, before:
// in that step only rank 0 writes the arrays that the output reads.
func (p *Plan) readyFor(before, step int) bool {
	for array := range p.lengths {
		for rank := 1; rank < p.nodes; rank++ {
			written := len(p.Writes(before, rank, array).pieces) + len(p.Overwrites(before, rank, array).pieces)
			if len(p.Reads(step, 0, array).pieces) > 0 && written > 0 {
				return false
			}
		}
	}
	return p.steps[step].output && !p.steps[before].home
}

// together reports whether the steps from first to step can form one phase: they always follow
// each other, and no rank reads or writes, in step, elements that another rank writes in an
// earlier step of the phase, or the reverse.
func (p *Plan) together(first, step int) bool {
	if p.steps[first].virtual || p.steps[step].virtual {
		return false
	}
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
