package region

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// Program is a function that a compiler has divided: its arrays, its plan, and where it is in it.
//
//	p := region.NewProgram(n)
//	a = region.In(p, "a", a)           // a is now this rank's copy of a shared array; rank 0's elements are the input
//	row := region.Make[float64](p, "row", 100)
//	p.Begin("a")                       // what is input: the plan begins
//	... p.Step(), p.Block(...), p.Reads(...) ...
//	err := p.Share("a")                // what is output: the plan ends, and rank 0's input is there
//	err = p.Enter(step) ... err = p.Leave(step)
//	return p.Finish()                  // rank 0's slices have the output
type Program struct {
	*Plan
	*Shared
	// Spend is what is charged to a virtual clock for each of what Works counts.
	Spend  fagus.Time
	work   []int // by step
	node   *fagus.Node
	arrays []named
	err    error // the first one before Share
	input  int
	output int
	out    []int
}

// named is an array, and what the caller has of it.
type named struct {
	Array
	name     string
	from, to uintptr // the caller's elements; both 0 if there are none
	copyIn   func()
	copyOut  func()
}

// NewProgram is one without arrays.
func NewProgram(n *fagus.Node) *Program { return &Program{node: n} }

// In makes a shared array of a slice of the caller, and returns this rank's copy of it. Arrays have numbers from 0, in the
// order in which they are made. It is collective: all ranks have slices of the same length. An error is kept for Share.
func In[S ~[]T, T any](p *Program, name string, outer S) (own S) {
	var zero T
	from := uintptr(unsafe.Pointer(unsafe.SliceData(outer)))
	n := named{name: name, from: from, to: from + uintptr(len(outer))*unsafe.Sizeof(zero)}
	for _, o := range p.arrays {
		if o.from < n.to && n.from < o.to {
			p.fail(fmt.Errorf("region: %s and %s have elements together: what was made parallel counts on their having none", o.name, name))
		}
	}
	own = add[T](p, n, len(outer))
	last := &p.arrays[len(p.arrays)-1]
	last.copyIn, last.copyOut = func() { copy(own, outer) }, func() { copy(outer, own) }
	return own
}

// Make makes a shared array of zeros, which the caller does not see. It is collective. An error is kept for Share.
func Make[T any](p *Program, name string, length int) []T {
	if length < 0 {
		p.fail(fmt.Errorf("region: %s: %d elements", name, length))
		length = 0
	}
	return add[T](p, named{name: name}, length)
}

// add makes the array. While something is wrong, there are slices of the caller's length nevertheless, so that it can go on to Share.
func add[T any](p *Program, n named, length int) []T {
	a, err := fagus.NewArray[T](p.node, fmt.Sprintf("%s (%d)", n.name, p.node.Arrays()), max(length, 1))
	if err != nil {
		p.fail(err)
		p.arrays = append(p.arrays, n)
		return make([]T, length)
	}
	n.Array = a
	p.arrays = append(p.arrays, n)
	return a.Slice()[:length]
}

func (p *Program) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *Program) numbers(names []string) (list []int) {
	for _, name := range names {
		for i, a := range p.arrays {
			if a.name == name {
				list = append(list, i)
			}
		}
	}
	return list
}

// Begin begins the plan: rank 0 has the input in the arrays of these names.
func (p *Program) Begin(input ...string) {
	lengths := make([]int, len(p.arrays))
	for i, a := range p.arrays {
		if a.Array != nil {
			lengths[i] = a.Len()
		}
	}
	p.Plan = NewPlan(p.node.Nodes(), lengths...)
	p.input = p.Input(p.numbers(input)...)
}

// Share ends the plan: rank 0 wants the output in the arrays of these names. It is collective, and rank 0's input is there behind it.
// An error is the first one since NewProgram, or that of Plan.Share.
func (p *Program) Share(output ...string) error {
	p.out = p.numbers(output)
	if len(p.out) > 0 {
		p.output = p.Output(p.out...)
	}
	if p.err != nil {
		return p.err
	}
	list := make([]Array, len(p.arrays))
	for i, a := range p.arrays {
		list[i] = a.Array
	}
	var err error
	if p.Shared, err = p.Plan.Share(p.node, list...); err != nil {
		return err
	}
	if err := p.Enter(p.input); err != nil {
		return err
	}
	if p.node.Rank() == 0 {
		for _, a := range p.arrays {
			if a.copyIn != nil {
				a.copyIn()
			}
		}
	}
	return p.Leave(p.input)
}

// Works says that a rank does something so many times in a step.
func (p *Program) Works(step, rank, times int) {
	if rank != p.node.Rank() {
		return
	}
	for len(p.work) <= step {
		p.work = append(p.work, 0)
	}
	p.work[step] += times
}

// Leave is Shared.Leave, and charges what the step has taken.
func (p *Program) Leave(step int) error {
	if step < len(p.work) && p.work[step] > 0 {
		p.node.Spend(fagus.Time(p.work[step]) * p.Spend)
	}
	return p.Shared.Leave(step)
}

// Mine is this rank's part of a step.
func (p *Program) Mine(step int) Part { return p.Part(step, p.node.Rank()) }

// Owns says whether this rank executes a step that one rank executes alone: see Alone.
func (p *Program) Owns(step int) bool { return p.Mine(step).Count() > 0 }

// Alone gives so many iterations of a step to one rank.
func (p *Plan) Alone(step, rank, iterations int) {
	p.divide(step, func(r int) Part {
		if r == rank {
			return Part{0, iterations, 1}
		}
		return Part{0, 0, 1}
	})
}

// Finish brings the output to rank 0's slices. It is collective.
func (p *Program) Finish() error {
	if p.Shared == nil {
		return errors.New("region: Finish without Share")
	}
	if len(p.out) == 0 {
		return nil
	}
	if err := p.Enter(p.output); err != nil {
		return err
	}
	if p.node.Rank() == 0 {
		for _, i := range p.out {
			p.arrays[i].copyOut()
		}
	}
	return p.Leave(p.output)
}

// Combine makes of elements what combine makes of the parts of all ranks, in the order of the ranks; parts has one behind the other.
func Combine[T any](all, parts []T, of Part, combine func(a, b T) T) {
	for i := of.First; i < of.End; i += of.By {
		x := parts[i]
		for j := i + len(all); j < len(parts); j += len(all) {
			x = combine(x, parts[j])
		}
		all[i] = x
	}
}
