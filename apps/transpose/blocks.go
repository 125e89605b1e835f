package transpose

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// blocks is a matrix in blocks: those of rank 0's columns come first, one for the rows of every rank; then
// those of rank 1's columns, and so on. A block has its columns one after another.
type blocks struct {
	*fagus.Array[float64]
	node   *fagus.Node
	n      int
	guards [][]*fagus.SyncVar // by rank of the columns, and of the rows; nil: the block is empty
}

func newBlocks(n *fagus.Node, name string, order int) (*blocks, error) {
	a, err := fagus.NewArray[float64](n, name, order*order)
	if err != nil {
		return nil, err
	}
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

// span is where the block of owner's columns and reader's rows lies.
func (b *blocks) span(owner, reader int) (lo, hi int) {
	columnLo, columnHi := parts.Block(b.n, b.node.Nodes(), owner)
	rowLo, rowHi := parts.Block(b.n, b.node.Nodes(), reader)
	width := columnHi - columnLo
	return columnLo*b.n + width*rowLo, columnLo*b.n + width*rowHi
}

// block is the block of owner's columns and reader's rows, as this rank has it.
func (b *blocks) block(owner, reader int) []float64 {
	lo, hi := b.span(owner, reader)
	return b.Slice()[lo:hi]
}

// wantToFill asks for this rank's columns, and declares that it writes all of them.
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

// wantOthers asks for this rank's columns where they are the rows of others, to read.
func (b *blocks) wantOthers() (wants []fagus.Request) {
	me := b.node.Rank()
	for reader, v := range b.guards[me] {
		if v != nil && reader != me {
			wants = append(wants, fagus.Want(v, fagus.Shared))
		}
	}
	return wants
}

// wantRows asks for this rank's rows, of all ranks' columns, to read.
func (b *blocks) wantRows() (wants []fagus.Request) {
	for _, byRows := range b.guards {
		if v := byRows[b.node.Rank()]; v != nil {
			wants = append(wants, fagus.Want(v, fagus.Shared))
		}
	}
	return wants
}
