package ft

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// cube is a shared array of nx x ny x nz numbers, of which a rank has whole planes (z) at one time, and
// the same rows (y) of all planes at another. What two ranks have in common, the planes of one and the
// rows of the other, is a block with a variable of its own.
type cube struct {
	node    *fagus.Node
	numbers *fagus.Array[complex128]
	nx, ny  int
	starts  []int            // of row y of plane z, at z*ny+y
	blocks  []fagus.Range    // that of planes of rank p and rows of rank q at p * nodes + q
	guards  []*fagus.SyncVar // of blocks; nil: it is empty
}

// newCube makes the array and binds the blocks. It is collective.
func newCube(n *fagus.Node, p *problem) (*cube, error) {
	numbers, err := fagus.NewArray[complex128](n, "u", p.points())
	if err != nil {
		return nil, err
	}
	c := &cube{node: n, numbers: numbers, nx: p.nx, ny: p.ny, starts: make([]int, p.ny*p.nz)}
	at := 0
	for block := range n.Nodes() * n.Nodes() {
		zLo, zHi := parts.Block(p.nz, n.Nodes(), block/n.Nodes())
		yLo, yHi := parts.Block(p.ny, n.Nodes(), block%n.Nodes())
		begin := at
		for z := zLo; z < zHi; z++ {
			for y := yLo; y < yHi; y++ {
				c.starts[z*p.ny+y] = at
				at += p.nx
			}
		}
		var guard *fagus.SyncVar
		r := numbers.Range(begin, at)
		if begin < at {
			if guard, err = n.Bind(fmt.Sprintf("u.%d.%d", block/n.Nodes(), block%n.Nodes()), r); err != nil {
				return nil, err
			}
		}
		c.guards, c.blocks = append(c.guards, guard), append(c.blocks, r)
	}
	return c, nil
}

// row is row y of plane z.
func (c *cube) row(z, y int) []complex128 { return c.numbers.Slice()[c.starts[z*c.ny+y]:][:c.nx:c.nx] }

// planes asks for this rank's planes.
func (c *cube) planes(mode fagus.Mode) *fagus.SyncSet {
	return c.want(mode, func(other int) int { return c.node.Rank()*c.node.Nodes() + other })
}

// lines asks for this rank's rows of all planes.
func (c *cube) lines(mode fagus.Mode) *fagus.SyncSet {
	return c.want(mode, func(other int) int { return other*c.node.Nodes() + c.node.Rank() })
}

// want asks for a block with every rank. Who wants it exclusive will write all of it.
func (c *cube) want(mode fagus.Mode, block func(other int) int) *fagus.SyncSet {
	var wants []fagus.Request
	for r := range c.node.Nodes() {
		b := block(r)
		if c.guards[b] == nil {
			continue
		}
		want := fagus.Want(c.guards[b], mode)
		if mode == fagus.Exclusive {
			want = want.Writing(c.blocks[b])
		}
		wants = append(wants, want)
	}
	return c.node.Set(wants...)
}
