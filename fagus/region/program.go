package region

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Program is one call of a function that a compiler has divided among the ranks: its arrays and its
// plan.
//
//	p := region.Open(n, "path/of/package.Name", "n", n)
//	region.In(p, "a", &a)              // a becomes this rank's copy of a shared array
//	row := region.Make[float64](p, "row", 100)
//	var steps struct{ first int }
//	if !region.Known(p, &steps, n) {   // no former call has made the plan
//		p.Begin("a")                   // names the input; the plan begins
//		steps.first = p.Step() ... p.Block(...), p.Reads(...) ...
//	}
//	err := p.Share("a")                // names the output; the plan ends
//	err = p.Enter(steps.first) ... err = p.Leave(steps.first)
//	return p.Finish()                  // copies the output to rank 0's slices
//
// The input and the output are the slices of rank 0, apart from those that [Resident] gives. Ranks
// that are goroutines of one process may compute in place, on these slices themselves.
type Program struct {
	*Plan
	*Shared
	Spend  fagus.Time // virtual time of each operation that Works counts
	node   *fagus.Node
	store  *store
	name   string
	given  []any      // names and values of arguments
	arrays []operand  // by the numbers that Plan uses
	outer  []occupied // the callers' slices, by address
	twice  bool       // two operands are the same memory
	err    error      // the first error before Share
	known  *known     // the plan, when it is made
	key    string     // of the plan; empty if it is not kept
	steps  func() any
	began  fagus.Time // of the plan
	input  []int      // numbers of the input arrays
	begun  int        // the step of the input
	work   []int      // number of this rank's operations, by step

	met bool // the ranks compute in place, and have the slices of rank 0
}

// operand is a shared array and the caller's slice from which it was made.
type operand struct {
	*block
	name         string
	length, size int     // in elements; bytes of an element
	from, to     uintptr // addresses of the caller's elements; both 0 if there are none
	same         int     // the first operand with the same elements: often this one
	own          any     // this rank's copy of the elements, if the caller has a slice
	copyIn       func()  // copies the caller's slice to the array; nil if there is none
	copyOut      func()  // copies the array to the caller's slice; nil if there is none

	// If ranks compute in place: the caller's slice, and a function that makes rank 0's slice this
	// rank's. It returns false if rank 0's has another type.
	outer any
	use   func(outer any) bool
}

// NewProgram returns a program without arrays, whose plan is not kept.
func NewProgram(n *fagus.Node) *Program { return Open(n, "") }

// Open begins a call of the function of this name. It returns a program without arrays. The plan of
// a function with a name is kept for further calls on the same node; see Known. given has the
// names and values of arguments that must be equal on all ranks, alternately. If ranks make
// different calls, the run fails: at the latest when their programs have returned.
func Open(n *fagus.Node, name string, given ...any) *Program {
	return &Program{node: n, store: storeOf(n), name: name, given: given}
}

// In makes a shared array as long as the caller's slice *outer, and sets *outer to this rank's copy
// of the array. Arrays are numbered from 0 in the order in which they are made. If *outer is the
// slice of a [Resident] array, it stays: the call uses the elements where they are. If the ranks
// compute in place, Known or Begin sets *outer to the slice of rank 0. In is collective: the slices
// have the same length on all ranks, and must not overlap the slices of other calls, unless they
// are the same and the program only reads them. Errors are returned by Share.
func In[S ~[]T, T any](p *Program, name string, outer *S) {
	var zero T
	given := *outer
	e := occupiedBy(name, given)
	o := operand{name: name, from: e.from, to: e.to, length: len(given), size: int(unsafe.Sizeof(zero)), same: len(p.arrays)}
	for i, other := range p.arrays {
		if other.from == o.from && other.to == o.to && o.from < o.to {
			o.block, o.same, p.twice = other.block, i, true
			if other.own != nil {
				*outer = other.own.([]T)
			}
			break
		}
	}
	if o.same == len(p.arrays) {
		p.occupy(e)
		if b := p.store.at(o.from, o.to); b != nil && len(given) > 0 {
			switch {
			case b.stays == nil:
				p.fail(fmt.Errorf("region: slice %s is that of a resident array after Free, or that of another call: pass a slice of your own", name))
			case b.base != o.from || b.length != len(given):
				p.fail(fmt.Errorf("region: slice %s is a part of a resident array: pass the whole slice that the array gives, or a copy of the part", name))
			}
			o.block, o.own = b, []T(given)
		}
	}
	if p.store.common != nil {
		takeOver(&o, outer)
	}
	if o.block != nil || o.same < len(p.arrays) || o.use != nil {
		p.arrays = append(p.arrays, o)
		return
	}
	own := add[T](p, o, len(given))
	*outer = own
	last := &p.arrays[len(p.arrays)-1]
	last.own, last.copyIn, last.copyOut = own, func() { copy(own, given) }, func() { copy(given, own) }
}

// Make makes a shared array of zeros and returns this rank's copy of the array, which is valid
// until Finish. The copy may have other contents until the first step that uses it. Make is
// collective. Errors are returned by Share.
func Make[T any](p *Program, name string, length int) []T {
	if length < 0 {
		p.fail(fmt.Errorf("region: array %s of %d elements: the length must not be negative", name, length))
		length = 0
	}
	return add[T](p, operand{name: name}, length)
}

// add makes a shared array. After an error it returns a private slice of the same length, so
// that the caller can continue to Share, which returns the error.
func add[T any](p *Program, o operand, length int) []T {
	var zero T
	o.length, o.size, o.same = length, int(unsafe.Sizeof(zero)), len(p.arrays)
	var own []T
	if p.store.common != nil {
		own, err := one[T](p.store, o.name, length)
		if err != nil {
			p.fail(err)
			own = make([]T, length)
		}
		p.arrays = append(p.arrays, o)
		return own
	}
	b, err := p.store.take(place{p.name, len(p.arrays)}, length*o.size)
	if err == nil {
		o.block = b
		own, err = fagus.Elements[T](b.array, length)
	}
	if err != nil {
		p.fail(err)
		own = make([]T, length)
	}
	p.arrays = append(p.arrays, o)
	return own
}

// fail records an error, unless it is nil.
func (p *Program) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// numbers returns the numbers of the arrays of these names that are copied from or to rank 0.
func (p *Program) numbers(names []string) (list []int) {
	for _, name := range names {
		for i, a := range p.arrays {
			if a.name == name && a.length > 0 && (a.block == nil || a.stays == nil) {
				list = append(list, i)
			}
		}
	}
	return list
}

// Begin begins the plan. input names the arrays that rank 0's slices initialize, unless they are
// resident. Arrays that are neither contain zeros.
func (p *Program) Begin(input ...string) {
	lengths, valid := make([]int, len(p.arrays)), make([]*state, len(p.arrays))
	for i, a := range p.arrays {
		lengths[i] = a.length
		if a.block != nil && p.store.common == nil {
			valid[i] = a.stays
		}
	}
	p.Plan = NewPlan(p.node.Nodes(), lengths...)
	if p.store.common != nil {
		p.fail(p.meet())
		p.Plan.inPlace = true
	}
	if p.twice {
		for _, a := range p.arrays {
			p.alias = append(p.alias, a.same)
		}
	}
	p.holds = p.node.Checks()
	p.mayHop = parts.InSteps(p.node) && !p.node.OneCopy() && !p.holds && !p.inPlace && len(p.store.relays) < mostRelays
	p.entry(valid)
	p.input = p.numbers(input)
	p.begun = p.Input(p.input...)
}

// Share ends the plan, binds its variables, and copies rank 0's input to the shared arrays. output
// names the arrays that Finish copies back. Share is collective. It returns the first error of all
// calls since Open.
func (p *Program) Share(output ...string) error {
	err := p.err
	switch {
	case err != nil:
	case p.store.common != nil:
		err = p.sharePlace()
	default:
		err = p.share(output)
	}
	if err != nil {
		p.Close()
	}
	return err
}

func (p *Program) share(output []string) error {
	known := p.known
	if known == nil {
		var err error
		if known, err = p.plan(output); err != nil {
			return err
		}
	}
	p.store.calls.add(p)
	if p.node.Checks() {
		if err := p.store.End(); err != nil {
			return err
		}
	}
	if p.known == nil {
		p.store.keep(known)
	}
	p.known, p.work = known, known.work
	known.last = p.store.tick()
	if err := known.fit(p.store); err != nil {
		return err
	}
	p.planned()
	p.Shared = &known.Shared
	if known.begins {
		if err := p.Enter(0); err != nil {
			return err
		}
		if err := p.Leave(0); err != nil {
			return err
		}
	}
	if !known.starts {
		return nil
	}
	if err := p.Enter(known.input); err != nil {
		return err
	}
	for i, a := range p.arrays {
		if p.node.Rank() == 0 && slices.Contains(known.in, i) && a.same == i {
			a.copyIn()
		}
		for _, z := range known.zeros[i] {
			if a.dirty {
				clear(a.array.Slice()[z.Lo*a.size : z.Hi*a.size])
			}
		}
	}
	return p.Leave(known.input)
}

// planned adds the time for the plan to the node's statistics.
func (p *Program) planned() {
	if p.steps != nil {
		p.store.done.Planning += p.node.Now() - p.began
	}
}

// Works adds the count times to the operations that a rank does in a step; see Spend.
func (p *Program) Works(step, rank, times int) {
	if !p.NeedsWork(rank) {
		return
	}
	for len(p.work) <= step {
		p.work = append(p.work, 0)
	}
	p.work[step] += times
}

// NeedsWork reports whether it matters what Works adds for a rank. If it does not, a loop over
// calls of Works can be left out.
func (p *Program) NeedsWork(rank int) bool { return rank == p.node.Rank() && !p.met }

// Enter calls Shared.Enter, unless the ranks compute in place.
func (p *Program) Enter(step int) error {
	if p.met {
		return nil
	}
	return p.Shared.Enter(step)
}

// Leave advances a virtual clock by the time of the step's operations, and calls Shared.Leave. If
// the ranks compute in place, it is a Barrier.
func (p *Program) Leave(step int) error {
	if p.met {
		return p.node.Barrier()
	}
	if step < len(p.work) && p.work[step] > 0 {
		p.node.Spend(fagus.Time(p.work[step]) * p.Spend)
	}
	return p.Shared.Leave(step)
}

// Mine returns the iterations that this rank executes in a step.
func (p *Program) Mine(step int) Iterations { return p.Iterations(step, p.node.Rank()) }

// First returns the first iterations that this rank executes in a step. Next returns more, when
// those are executed; none are the end.
//
//	for part := p.First(s); part.Count() > 0; part = p.Next(s) {
func (p *Program) First(step int) Iterations {
	if !p.Plan.steps[step].dynamic {
		return p.Mine(step)
	}
	p.store.common.begin(p.store)
	return p.Next(step)
}

// Next returns the next iterations that this rank executes in a step.
func (p *Program) Next(step int) Iterations {
	if s := &p.Plan.steps[step]; s.dynamic {
		return p.store.common.next(p.store, s.whole)
	}
	return Iterations{0, 0, 1}
}

// Owns reports whether this rank executes a step that was given to a single rank by Alone.
func (p *Program) Owns(step int) bool { return p.Mine(step).Count() > 0 }

// Alone gives all iterations of a step, 0 to iterations-1, to one rank.
func (p *Plan) Alone(step, rank, iterations int) {
	p.divide(step, func(r int) Iterations {
		if r == rank {
			return Iterations{0, iterations, 1}
		}
		return Iterations{0, 0, 1}
	})
}

// Finish copies the output to rank 0's slices. It is collective.
func (p *Program) Finish() error {
	if p.met && p.known != nil {
		return nil
	}
	if p.Shared == nil {
		return errors.New("region: Finish without a successful Share")
	}
	if len(p.known.out) > 0 {
		if err := p.Enter(p.known.output); err != nil {
			return err
		}
		if p.node.Rank() == 0 {
			for _, i := range p.known.out {
				p.arrays[i].copyOut()
			}
		}
		if err := p.Leave(p.known.output); err != nil {
			return err
		}
	}
	for _, a := range p.arrays {
		if a.stays != nil {
			a.stays = p.known.left[a.same]
		}
	}
	p.Close()
	return nil
}

// Close ends a call before Share, which all ranks do. Share, if it fails, and Finish do so, too.
func (p *Program) Close() {
	for _, a := range p.arrays {
		if a.block != nil {
			p.store.give(a.block)
		}
	}
	p.Shared = nil
}

// Combine reduces the partial results of all ranks to one result per element of the slice all. The
// slice parts holds len(all) partial results of rank 0, then of rank 1, and so on. Combine
// folds the partial results of each given iteration in the order of the ranks.
func Combine[T any](all, parts []T, of Iterations, combine func(a, b T) T) {
	for i := of.First; i < of.End; i += of.By {
		x := parts[i]
		for j := i + len(all); j < len(parts); j += len(all) {
			x = combine(x, parts[j])
		}
		all[i] = x
	}
}

// NegativeZero returns -0, from which a rank's part of a sum starts: x + -0 is x for every x, also
// for -0.
func NegativeZero[T ~float32 | ~float64]() T { return T(math.Copysign(0, -1)) }
