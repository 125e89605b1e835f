package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Blocks is an array of items, each of unit elements, of which every rank has a [Block],
// guarded by a variable of its own.
type Blocks[T any] struct {
	*fagus.Array[T]
	node        *fagus.Node
	items, unit int
	guards      []*fagus.SyncVar // by rank; nil: it has no items
}

// NewBlocks makes the array and binds the variables. It is collective.
func NewBlocks[T any](n *fagus.Node, name string, items, unit int) (*Blocks[T], error) {
	if items < 1 || unit < 1 {
		return nil, fmt.Errorf("parts: blocks %q of %d items of %d elements: want at least one of each", name, items, unit)
	}
	a, err := fagus.NewArray[T](n, name, items*unit)
	if err != nil {
		return nil, err
	}
	b := &Blocks[T]{Array: a, node: n, items: items, unit: unit, guards: make([]*fagus.SyncVar, n.Nodes())}
	for r := range b.guards {
		lo, hi := b.Items(r)
		if lo == hi {
			continue
		}
		if b.guards[r], err = n.Bind(fmt.Sprintf("%s.%d", name, r), a.Range(lo*unit, hi*unit)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Items are those of a rank, lo up to but not including hi.
func (b *Blocks[T]) Items(rank int) (lo, hi int) { return Block(b.items, b.node.Nodes(), rank) }

// Of are the elements of a rank's items, as this rank has them.
func (b *Blocks[T]) Of(rank int) []T {
	lo, hi := b.Items(rank)
	return b.Slice()[lo*b.unit : hi*b.unit]
}

// Mine are the elements of this rank's items.
func (b *Blocks[T]) Mine() []T { return b.Of(b.node.Rank()) }

// Want asks for the items of some ranks in a mode.
func (b *Blocks[T]) Want(mode fagus.Mode, ranks ...int) (wants []fagus.Request) {
	for _, r := range ranks {
		if b.guards[r] != nil {
			wants = append(wants, fagus.Want(b.guards[r], mode))
		}
	}
	return wants
}

// WantMine asks for this rank's items.
func (b *Blocks[T]) WantMine(mode fagus.Mode) []fagus.Request { return b.Want(mode, b.node.Rank()) }

// WantFill asks for this rank's items, exclusively, and declares that it writes all of them: so
// that nothing is compared to find out.
func (b *Blocks[T]) WantFill() (wants []fagus.Request) {
	lo, hi := b.Items(b.node.Rank())
	for _, r := range b.WantMine(fagus.Exclusive) {
		wants = append(wants, r.Writing(b.Range(lo*b.unit, hi*b.unit)))
	}
	return wants
}

// WantAll asks for all items.
func (b *Blocks[T]) WantAll(mode fagus.Mode) (wants []fagus.Request) {
	for r := range b.guards {
		wants = append(wants, b.Want(mode, r)...)
	}
	return wants
}
