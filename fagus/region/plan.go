package region

// Plan states what each rank does in each step of a program.
type Plan struct {
	nodes   int
	arrays  []record // the accesses, by array
	steps   []step
	spans   []span
	open    []int // indexes of the spans that have not ended
	borders int   // number of places where a span begins or ends
	apart   []int // by step: the last earlier step that cannot be in the same phase, or -1
	// call says that the plan is executed again and again, with arrays that other plans use in
	// between: at the begin no rank has current copies, apart from what the step entry says.
	call  bool
	holds bool // ranks hold whatever they use, so that Config.Check can check the plan
	// alias has for each array the first one in the same memory: often itself. nil: all differ.
	alias  []int
	states []*state // of arrays that stay between calls; nil for others
	// inPlace says that ranks compute in place. The plan then only divides steps among them: it
	// needs no reads, unless compares is set.
	inPlace, compares bool
	mayHop            bool   // data that all ranks have and read may go in two hops
	relays            []bool // by step: they do; nil: in no step
}

type step struct {
	loop    func(rank int) Iterations // nil if the step divides no loop
	whole   Iterations                // the iterations that it divides
	dynamic bool                      // see Dynamic
	home    bool                      // the step is the input or the output
	output  bool                      // the step is the output
	fenced  bool                      // the step is the last of its phase
	// virtual says that no rank executes the step. It says who has, or will need, current copies.
	virtual bool
	// border counts the borders before the step: steps with the same number always follow each
	// other.
	border int
}

// span is a sequence of steps that may be skipped, or repeated.
type span struct {
	first, last int
	repeats     bool
}

func (s span) has(step int) bool { return s.first <= step && step <= s.last }

// NewPlan returns a plan without steps for arrays of the given lengths, in elements. Arrays
// are numbered from 0.
func NewPlan(nodes int, lengths ...int) *Plan {
	p := &Plan{nodes: nodes, arrays: make([]record, len(lengths))}
	for i, n := range lengths {
		p.arrays[i].length = n
	}
	return p
}

// Nodes returns the number of ranks.
func (p *Plan) Nodes() int { return p.nodes }

// Step adds a step and returns its number. Steps are numbered from 0.
func (p *Plan) Step() int {
	p.steps = append(p.steps, step{border: p.borders})
	return len(p.steps) - 1
}

// Input adds a step in which rank 0 overwrites the given arrays with the program's input.
// It returns the number of the step.
func (p *Plan) Input(arrays ...int) int {
	s := p.Step()
	p.steps[s].home = true
	for _, a := range arrays {
		p.Overwrites(s, 0, a).Add(0, p.arrays[a].length)
	}
	return s
}

// Output adds a step in which rank 0 reads the given arrays, the program's output. It
// returns the number of the step.
func (p *Plan) Output(arrays ...int) int {
	s := p.Step()
	p.steps[s].home, p.steps[s].output = true, true
	for _, a := range arrays {
		p.Reads(s, 0, a).Add(0, p.arrays[a].length)
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
	p.borders++
	p.open = append(p.open, len(p.spans))
	p.spans = append(p.spans, span{len(p.steps), len(p.steps) - 1, repeats})
}

// End ends the sequence that the last open Repeat or Maybe began.
func (p *Plan) End() {
	p.borders++
	last := len(p.open) - 1
	p.spans[p.open[last]].last = len(p.steps) - 1
	p.open = p.open[:last]
}

// Reads returns the set of elements of an array that a rank reads in a step. The caller adds
// elements to the set. Elements outside the array are ignored, also by Writes and Overwrites.
func (p *Plan) Reads(step, rank, array int) Region {
	if !p.NeedsReads() {
		return Region{}
	}
	return p.region(step, rank, array, reads)
}

// NeedsReads reports whether it matters what Reads declares. If it does not, a loop over calls of
// Reads can be left out.
func (p *Plan) NeedsReads() bool { return !p.inPlace || p.compares }

// Writes returns the set of elements that a rank writes, or may write, in a step.
func (p *Plan) Writes(step, rank, array int) Region { return p.region(step, rank, array, writes) }

// Overwrites returns the set of elements that a rank certainly writes in a step, and does not read
// before that write.
func (p *Plan) Overwrites(step, rank, array int) Region {
	return p.region(step, rank, array, overwrites)
}

func (p *Plan) region(step, rank, array int, does touch) Region {
	return Region{&p.arrays[p.memory(array)], step, rank, does}
}

// memory returns the number of the first array in the same memory.
func (p *Plan) memory(array int) int {
	if p.alias == nil {
		return array
	}
	return p.alias[array]
}

// Owner returns the rank that is the last to write an element in the steps so far. If no rank
// writes the element, it returns the first one that has a current copy from before, or else 0.
func (p *Plan) Owner(array, element int) int {
	rank, found := p.arrays[p.memory(array)].owner(element)
	if !found && p.stays(array) {
		return p.states[array].first(element)
	}
	return rank
}

// Iterations is a set of iterations of a loop: First, First+By, and so on below End.
type Iterations struct{ First, End, By int }

// Count returns the number of iterations.
func (i Iterations) Count() int { return max(0, (i.End-i.First+i.By-1)/i.By) }

// Without returns i without iteration x, as the part before x and the part after it.
func (i Iterations) Without(x int) [2]Iterations {
	after := i
	if x >= i.First {
		after.First += ((x-i.First)/i.By + 1) * i.By
	}
	i.End = min(i.End, x)
	return [2]Iterations{i, after}
}

// Block divides the iterations lo, lo+by, and so on below hi into one block per rank. The interval
// [low, high) is split into consecutive parts whose sizes differ by one at most, and each rank
// gets the iterations in its part. Loops with the same low and high thus have the same division.
func (p *Plan) Block(step, lo, hi, by, low, high int) {
	low, high = min(low, lo), max(high, hi)
	p.steps[step].whole = Iterations{lo, hi, by}
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
	p.steps[step].whole = Iterations{lo, hi, by}
	p.divide(step, func(rank int) Iterations {
		turn := lo / by
		if lo%by < 0 {
			turn--
		}
		ahead := ((rank-turn)%p.nodes + p.nodes) % p.nodes
		return Iterations{lo + ahead*by, hi, p.nodes * by}
	})
}

// Moving divides the iterations of a loop whose bounds differ from step to step. As Cyclic, it
// gives each iteration to the same rank in all steps. But if the ranks compute in place, where no
// data move, every rank has one block of the iterations.
func (p *Plan) Moving(step, lo, hi, by int) {
	if p.inPlace {
		p.Block(step, lo, hi, by, lo, hi)
	} else {
		p.Cyclic(step, lo, hi, by)
	}
}

func (p *Plan) divide(step int, share func(rank int) Iterations) { p.steps[step].loop = share }

// Dynamic says that the iterations of a step, which Block or Cyclic has divided, differ much in
// their work, and that it does not matter which rank executes them. If ranks compute in place, each
// then takes some, and more when it has executed them; see Program.First.
func (p *Plan) Dynamic(step int) { p.steps[step].dynamic = p.inPlace }

// Iterations returns the iterations that a rank executes in a step.
func (p *Plan) Iterations(step, rank int) Iterations { return p.steps[step].loop(rank) }

// outside reports whether the use of elements in a step, by the input or the output, may be left to
// rank 0 alone.
func (p *Plan) outside(step int32) bool { return p.steps[step].home && !p.holds }
