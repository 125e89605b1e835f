package ft

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// cube is a shared array of nx x ny x nz numbers that ranks divide in two ways: by planes (z),
// and by rows (y) of all planes. The rows of rank q within the planes of rank p form a block,
// which is contiguous in memory and bound to its own sync variable.
type cube struct {
	node    *fagus.Node
	numbers *fagus.Array[complex128]
	nx, ny  int
	starts  []int            // by z*ny+y: where row y of plane z begins
	blocks  []fagus.Range    // by p*nodes+q: the planes of rank p, the rows of rank q
	guards  []*fagus.SyncVar // of blocks; nil if the block is empty
}

func newCube(n *fagus.Node, p *problem) (*cube, error) {
	numbers, err := fagus.NewArray[complex128](n, "u", p.points())
	if err != nil {
		return nil, err
	}
	numbers.Scratch() // every iteration computes all of them from the spectrum
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

func (c *cube) row(z, y int) []complex128 { return c.numbers.Slice()[c.starts[z*c.ny+y]:][:c.nx:c.nx] }

func (c *cube) planes(access fagus.Access) *fagus.SyncSet {
	return c.want(access, func(other int) int { return c.node.Rank()*c.node.Nodes() + other })
}

func (c *cube) lines(access fagus.Access) *fagus.SyncSet {
	return c.want(access, func(other int) int { return other*c.node.Nodes() + c.node.Rank() })
}

// want returns the set of block(other) for all other ranks. An exclusive holder overwrites them.
func (c *cube) want(access fagus.Access, block func(other int) int) *fagus.SyncSet {
	var wants []fagus.Request
	for r := range c.node.Nodes() {
		b := block(r)
		if c.guards[b] == nil {
			continue
		}
		want := fagus.Want(c.guards[b], access)
		if access == fagus.Exclusive {
			want = want.Writing(c.blocks[b])
		}
		wants = append(wants, want)
	}
	return c.node.Set(wants...)
}
