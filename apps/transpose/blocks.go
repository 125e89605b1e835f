package transpose

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// blocks is a square matrix stored in blocks, one for each pair of ranks: the columns of one (the
// owner) by the rows of the other (the reader). The blocks of rank 0's columns come first, in the
// order of the readers, then the blocks of rank 1's columns, and so on. In a block each column is
// contiguous.
type blocks struct {
	*fagus.Array[float64]
	node   *fagus.Node
	n      int
	guards [][]*fagus.SyncVar // by owner and reader; nil if the block is empty
}

func newBlocks(n *fagus.Node, name string, order int) (*blocks, error) {
	a, err := fagus.NewArray[float64](n, name, order*order)
	if err != nil {
		return nil, err
	}
	a.Scratch() // the order of the elements depends on the ranks
	b := &blocks{Array: a, node: n, n: order, guards: make([][]*fagus.SyncVar, n.Nodes())}
	for owner := range b.guards {
		b.guards[owner] = make([]*fagus.SyncVar, n.Nodes())
		for reader := range b.guards[owner] {
			lo, hi := b.span(owner, reader)
			if lo == hi {
				continue
			}
			if b.guards[owner][reader], err = n.Bind(fmt.Sprintf("%s.%d.%d", name, owner, reader), a.Range(lo, hi)); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// span returns the bounds of the block of owner's columns and reader's rows.
func (b *blocks) span(owner, reader int) (lo, hi int) {
	columnLo, columnHi := parts.Block(b.n, b.node.Nodes(), owner)
	rowLo, rowHi := parts.Block(b.n, b.node.Nodes(), reader)
	width := columnHi - columnLo
	return columnLo*b.n + width*rowLo, columnLo*b.n + width*rowHi
}

func (b *blocks) block(owner, reader int) []float64 {
	lo, hi := b.span(owner, reader)
	return b.Slice()[lo:hi]
}

// wantToFill requests this rank's columns exclusively, and declares that it overwrites them.
func (b *blocks) wantToFill() (wants []fagus.Request) {
	me := b.node.Rank()
	for reader, v := range b.guards[me] {
		if v != nil {
			lo, hi := b.span(me, reader)
			wants = append(wants, fagus.Want(v, fagus.Exclusive).Writing(b.Range(lo, hi)))
		}
	}
	return wants
}

// wantOthers requests, shared, the parts of this rank's columns that are rows of other ranks.
func (b *blocks) wantOthers() (wants []fagus.Request) {
	me := b.node.Rank()
	for reader, v := range b.guards[me] {
		if v != nil && reader != me {
			wants = append(wants, fagus.Want(v, fagus.Shared))
		}
	}
	return wants
}

// wantRows requests this rank's rows of all columns, shared.
func (b *blocks) wantRows() (wants []fagus.Request) {
	for _, byRows := range b.guards {
		if v := byRows[b.node.Rank()]; v != nil {
			wants = append(wants, fagus.Want(v, fagus.Shared))
		}
	}
	return wants
}
