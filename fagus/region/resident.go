package region

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// Resident is an array that stays distributed among the ranks between calls of generated functions.
// A function to which all ranks pass its slice finds each element at the rank that has it, and
// leaves it there: nothing is copied from or to rank 0.
//
//	u, err := region.Place(n, "u", input) // rank 0's input
//	for range steps {
//		err = SweepOn(n, u.Slice(), ...)
//	}
//	err = u.Fetch(result)                 // copies all elements to rank 0's slice
//	err = u.Free()
//
// All methods but Slice are collective. A Resident belongs to the rank that made it. Ranks that
// compute in place have one copy of it.
type Resident[T any] struct {
	node  *fagus.Node
	name  string
	own   []T
	block *block // nil after Free; without memory of its own if ranks compute in place
}

// New makes a resident array of zeros. It is collective: all ranks pass the same name, which errors
// mention, and the same length, at least 1. For what T may be see fagus.NewArray.
func New[T any](n *fagus.Node, name string, length int) (*Resident[T], error) {
	r, err := reserve[T](n, name, length)
	if err == nil && r.block.dirty {
		err = r.Fill(func(_ int, part []T) error {
			clear(part)
			return nil
		})
	}
	return r, err
}

// Place makes a resident array with the contents of rank 0's slice. It is collective: the slices
// have the same length, at least 1, on all ranks. The other ranks' contents do not matter.
func Place[T any](n *fagus.Node, name string, from []T) (*Resident[T], error) {
	r, err := reserve[T](n, name, len(from))
	if err != nil {
		return nil, err
	}
	if b := r.block; !b.dirty {
		// No rank has used this memory, so rank 0 may write at once, and what it writes stays with
		// it until a call shows who needs which elements.
		b.stays = storeOf(n).state(only(0, n.Nodes(), len(from)), true)
	}
	return r, r.each("region.Place", writes0, func(_ int, part []T) error {
		copy(part, from)
		return nil
	})
}

// reserve makes a resident array. If its block is dirty, the contents are undefined, and the caller
// writes all elements.
func reserve[T any](n *fagus.Node, name string, length int) (*Resident[T], error) {
	var zero T
	s := storeOf(n)
	if length < 1 {
		return nil, fmt.Errorf("region: resident array %q of %d elements: want at least one", name, length)
	}
	bytes := length * int(unsafe.Sizeof(zero))
	b := new(block)
	var own []T
	var err error
	if s.common != nil {
		if own, err = one[T](s, name, length); err != nil {
			return nil, err
		}
		b.base = uintptr(unsafe.Pointer(unsafe.SliceData(own)))
		b.end = b.base + uintptr(bytes)
		b.memory = own
		s.blocks = append(s.blocks, b)
	} else {
		if b, err = s.take(place{"region.Resident " + name, 0}, bytes); err != nil {
			return nil, err
		}
		if own, err = fagus.Elements[T](b.array, length); err != nil {
			s.give(b)
			return nil, err
		}
	}
	b.length, b.size = length, int(unsafe.Sizeof(zero))
	b.stays = s.state(everyone(n.Nodes(), length), true)
	return &Resident[T]{n, name, own, b}, nil
}

// at returns the block that shares an address with [from, to); nil if none does.
func (s *store) at(from, to uintptr) *block {
	for _, b := range s.blocks {
		if b.base < to && from < b.end {
			return b
		}
	}
	return nil
}

// Slice returns this rank's copy of all elements: the argument for generated functions. Outside of
// them the program must not use its elements; see Fetch, Drain and Fill.
func (r *Resident[T]) Slice() []T { return r.own }

// Fetch copies all elements to a slice of rank 0, or of each of the given ranks. It is collective:
// all ranks give the same ranks. On these, to is as long as the array; the others may pass nil.
func (r *Resident[T]) Fetch(to []T, ranks ...int) error {
	if len(ranks) == 0 {
		ranks = []int{0}
	}
	for _, rank := range ranks {
		if rank < 0 || rank >= r.node.Nodes() {
			return fmt.Errorf("region: Fetch of %q to rank %d: the ranks are 0 to %d", r.name, rank, r.node.Nodes()-1)
		}
	}
	own := slices.Contains(ranks, r.node.Rank())
	if own && len(to) != len(r.own) {
		return fmt.Errorf("region: Fetch of %q to a slice of %d elements: want %d", r.name, len(to), len(r.own))
	}
	return r.run("region.Fetch to ranks "+fmt.Sprint(ranks), func(p *Program, step int) {
		for _, rank := range ranks {
			p.Reads(step, rank, 0).Add(0, len(r.own))
		}
	}, func(*Program, int) error {
		if own {
			copy(to, r.own)
		}
		return nil
	})
}

// Fill writes all elements, one block by each rank: write gets the number of the first element and
// the elements of this rank's block, for example to read them from the rank's part of a file. Fill
// is collective. It returns the error of write on this rank.
func (r *Resident[T]) Fill(write func(first int, part []T) error) error {
	return r.each("region.Fill", writesBlock, write)
}

// Drain reads all elements, one block by each rank, for example to write them to the rank's part of
// a file. It is collective. It returns the error of read on this rank.
func (r *Resident[T]) Drain(read func(first int, part []T) error) error {
	return r.each("region.Drain", readsBlock, read)
}

// use is how the ranks divide an array in Fill, Drain and Place.
type division int

const (
	writes0     division = iota // rank 0 writes all
	writesBlock                 // every rank writes a block
	readsBlock                  // every rank reads a block
)

func (r *Resident[T]) each(name string, how division, f func(first int, part []T) error) error {
	return r.run(name, func(p *Program, step int) {
		if how == writes0 {
			p.Alone(step, 0, len(r.own))
		} else {
			p.Block(step, 0, len(r.own), 1, 0, len(r.own))
		}
		for rank := range p.Nodes() {
			part := p.Iterations(step, rank)
			of := p.Overwrites(step, rank, 0)
			if how == readsBlock {
				of = p.Reads(step, rank, 0)
			}
			of.Add(part.First, part.End)
		}
	}, func(p *Program, step int) error {
		if part := p.Mine(step); part.Count() > 0 {
			return f(part.First, r.own[part.First:part.End])
		}
		return nil
	})
}

// run executes a program of one step.
func (r *Resident[T]) run(name string, plan func(p *Program, step int), f func(p *Program, step int) error) error {
	if r.block == nil {
		return fmt.Errorf("region: resident array %q is used after Free", r.name)
	}
	p := Open(r.node, name)
	own := r.own
	In(p, r.name, &own)
	var step struct{ number int }
	if !Known(p, &step) {
		p.Begin()
		step.number = p.Step()
		plan(p, step.number)
	}
	if err := p.Share(); err != nil {
		return err
	}
	if err := p.Enter(step.number); err != nil {
		return err
	}
	failed := f(p, step.number)
	if err := p.Leave(step.number); err != nil {
		return err
	}
	if err := p.Finish(); err != nil {
		return err
	}
	return failed
}

// Free gives the memory to other arrays. It is collective. The slice must not be used any more.
func (r *Resident[T]) Free() error {
	if r.block == nil {
		return fmt.Errorf("region: resident array %q is freed twice", r.name)
	}
	b := r.block
	r.block = nil
	b.stays = nil
	b.used, b.dirty = false, true
	if s := storeOf(r.node); s.common != nil { // the memory is the garbage collector's
		s.blocks = slices.DeleteFunc(s.blocks, func(other *block) bool { return other == b })
	}
	return nil
}
