package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Blocks is an array of items, each of which has the same number of elements. Every rank has a
// [Block] of items, guarded by a sync variable of its own.
type Blocks[T any] struct {
	*fagus.Array[T]
	blocks
}

// elements is an array, whatever its type of elements. What needs no more is no generic code, which
// the compiler would compile again for each type, in each package that uses it.
type elements interface {
	Name() string
	Len() int
	Range(lo, hi int) fagus.Range
	Scratch()
}

// blocks are the Blocks of an array.
type blocks struct {
	node        *fagus.Node
	array       elements
	items, unit int              // number of items, and of elements per item
	guards      []*fagus.SyncVar // by rank; nil if the rank has no items
}

// NewBlocks makes the array and binds one variable per block. unit is the number of elements per
// item. NewBlocks is collective.
func NewBlocks[T any](n *fagus.Node, name string, items, unit int) (*Blocks[T], error) {
	if items < 1 || unit < 1 {
		return nil, fmt.Errorf("parts: blocks %q: %d items of %d elements: want at least one of each", name, items, unit)
	}
	a, err := fagus.NewArray[T](n, name, items*unit)
	if err != nil {
		return nil, err
	}
	b, err := blocksOf(n, a, items, unit)
	return &Blocks[T]{a, b}, err
}

func blocksOf(n *fagus.Node, a elements, items, unit int) (blocks, error) {
	b := blocks{node: n, array: a, items: items, unit: unit, guards: make([]*fagus.SyncVar, n.Nodes())}
	for r := range b.guards {
		lo, hi := b.Items(r)
		if lo == hi {
			continue
		}
		var err error
		if b.guards[r], err = n.Bind(fmt.Sprintf("%s.%d", a.Name(), r), a.Range(lo*unit, hi*unit)); err != nil {
			return b, err
		}
	}
	return b, nil
}

// Items returns the numbers of a rank's items: lo to hi-1.
func (b *blocks) Items(rank int) (lo, hi int) { return Block(b.items, b.node.Nodes(), rank) }

// Of returns the elements of a rank's items, in this rank's copy of the array.
func (b *Blocks[T]) Of(rank int) []T {
	lo, hi := b.Items(rank)
	return b.Part(lo*b.unit, hi*b.unit)
}

// Mine returns the elements of this rank's items.
func (b *Blocks[T]) Mine() []T { return b.Of(b.node.Rank()) }

// Want returns requests for the blocks of the given ranks, except for ranks without items.
func (b *blocks) Want(access fagus.Access, ranks ...int) (wants []fagus.Request) {
	for _, r := range ranks {
		if b.guards[r] != nil {
			wants = append(wants, fagus.Want(b.guards[r], access))
		}
	}
	return wants
}

// WantMine returns requests for this rank's block.
func (b *blocks) WantMine(access fagus.Access) []fagus.Request {
	return b.Want(access, b.node.Rank())
}

// WantFill returns exclusive requests for this rank's block, with the declaration that the
// rank writes all of it. Release then compares nothing.
func (b *blocks) WantFill() (wants []fagus.Request) {
	lo, hi := b.Items(b.node.Rank())
	for _, r := range b.WantMine(fagus.Exclusive) {
		wants = append(wants, r.Writing(b.array.Range(lo*b.unit, hi*b.unit)))
	}
	return wants
}

// WantAll returns requests for the blocks of all ranks.
func (b *blocks) WantAll(access fagus.Access) (wants []fagus.Request) {
	for r := range b.guards {
		wants = append(wants, b.Want(access, r)...)
	}
	return wants
}
