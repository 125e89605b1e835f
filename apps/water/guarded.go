package water

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// guarded has the forces on all molecules, and the variables that they are bound to.
type guarded struct {
	*fagus.Array[pushes]
	pieces []piece
}

// piece is the forces on the molecules lo to hi-1, which are bound to v.
type piece struct {
	lo, hi int
	v      *fagus.SyncVar
}

func guard(n *fagus.Node, molecules int, by Binding) (*guarded, error) {
	a, err := fagus.NewArray[pushes](n, "forces", molecules)
	if err != nil {
		return nil, err
	}
	g := &guarded{Array: a}
	count := min(n.Nodes(), molecules)
	if by != Block {
		count = molecules
	}
	for i := range count {
		lo, hi := parts.Block(molecules, count, i)
		v, err := n.Bind(fmt.Sprintf("forces.%d", i), a.Range(lo, hi))
		if err != nil {
			return nil, err
		}
		g.pieces = append(g.pieces, piece{lo, hi, v})
	}
	return g, nil
}

// want requests the forces on the molecules lo to hi-1 exclusively, to overwrite only these forces
// or to add to them: ranks may add in any order.
func (g *guarded) want(lo, hi int) (wants []fagus.Request) {
	for _, p := range g.pieces {
		if from, to := max(lo, p.lo), min(hi, p.hi); from < to {
			wants = append(wants, fagus.Want(p.v, fagus.Exclusive).Writing(g.Range(from, to)).Unordered())
		}
	}
	return wants
}
