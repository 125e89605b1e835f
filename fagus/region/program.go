package region

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// Program holds the arrays and the plan of a function that a compiler has divided among the ranks.
//
//	p := region.NewProgram(n)
//	a = region.In(p, "a", a)           // a is now this rank's copy of a shared array
//	row := region.Make[float64](p, "row", 100)
//	p.Begin("a")                       // names the input; the plan begins
//	... p.Step(), p.Block(...), p.Reads(...) ...
//	err := p.Share("a")                // names the output; the plan ends
//	err = p.Enter(step) ... err = p.Leave(step)
//	return p.Finish()                  // copies the output to rank 0's slices
//
// The input and the output are the slices of rank 0.
type Program struct {
	*Plan
	*Shared
	Spend  fagus.Time // virtual time of each operation that Works counts
	work   []int      // number of this rank's operations, by step
	node   *fagus.Node
	arrays []named // by the numbers that Plan uses
	err    error   // the first error before Share
	input  int     // number of the input step
	output int     // number of the output step, if out is not empty
	out    []int   // numbers of the output arrays
}

// named is a shared array and the caller's slice from which it was made.
type named struct {
	Array
	name     string
	from, to uintptr // addresses of the caller's elements; both 0 if there are none
	copyIn   func()  // copies the caller's slice to the array
	copyOut  func()  // copies the array to the caller's slice
}

// NewProgram returns a program without arrays.
func NewProgram(n *fagus.Node) *Program { return &Program{node: n} }

// In makes a shared array as long as the caller's slice outer, and returns this rank's copy of the
// array. Arrays are numbered from 0 in the order in which they are made. In is collective: the
// slices have the same length on all ranks, and must not overlap the slices of other calls. Errors
// are returned by Share.
func In[S ~[]T, T any](p *Program, name string, outer S) (own S) {
	var zero T
	from := uintptr(unsafe.Pointer(unsafe.SliceData(outer)))
	n := named{name: name, from: from, to: from + uintptr(len(outer))*unsafe.Sizeof(zero)}
	for _, o := range p.arrays {
		if o.from < n.to && n.from < o.to {
			p.fail(fmt.Errorf("region: slices %s and %s overlap: the program was parallelized on the assumption that they do not", o.name, name))
		}
	}
	own = add[T](p, n, len(outer))
	last := &p.arrays[len(p.arrays)-1]
	last.copyIn, last.copyOut = func() { copy(own, outer) }, func() { copy(outer, own) }
	return own
}

// Make makes a shared array of zeros and returns this rank's copy of the array. It is collective.
// Errors are returned by Share.
func Make[T any](p *Program, name string, length int) []T {
	if length < 0 {
		p.fail(fmt.Errorf("region: array %s of %d elements: the length must not be negative", name, length))
		length = 0
	}
	return add[T](p, named{name: name}, length)
}

// add makes a shared array. After an error it returns a private slice of the same length, so
// that the caller can continue to Share, which returns the error.
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

// Begin begins the plan. input names the arrays that rank 0's slices initialize.
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

// Share ends the plan, binds its variables, and copies rank 0's input to the shared arrays. output
// names the arrays that Finish copies back. Share is collective. It returns the first error of all
// calls since NewProgram.
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

// Works adds the count times to the operations that a rank does in a step; see Spend.
func (p *Program) Works(step, rank, times int) {
	if rank != p.node.Rank() {
		return
	}
	for len(p.work) <= step {
		p.work = append(p.work, 0)
	}
	p.work[step] += times
}

// Leave advances a virtual clock by the time of the step's operations, and calls Shared.Leave.
func (p *Program) Leave(step int) error {
	if step < len(p.work) && p.work[step] > 0 {
		p.node.Spend(fagus.Time(p.work[step]) * p.Spend)
	}
	return p.Shared.Leave(step)
}

// Mine returns the iterations that this rank executes in a step.
func (p *Program) Mine(step int) Iterations { return p.Iterations(step, p.node.Rank()) }

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
	if p.Shared == nil {
		return errors.New("region: Finish without a successful Share")
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

// Combine reduces the partial results of all ranks to one result per element of the slice all. The
// slice parts holds len(all) partial results of rank 0, then those of rank 1, and so on. Combine
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
