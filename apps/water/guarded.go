package water

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// guarded are the forces on all molecules.
type guarded struct {
	*fagus.Array[pushes]
	pieces []piece
}

// piece is the forces on molecules lo up to hi, which have a variable.
type piece struct {
	lo, hi int
	v      *fagus.SyncVar
}

// guard makes the array and binds it.
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

// want asks for the forces on molecules lo up to hi, and declares that it writes just these.
func (g *guarded) want(lo, hi int) (wants []fagus.Request) {
	for _, p := range g.pieces {
		if from, to := max(lo, p.lo), min(hi, p.hi); from < to {
			wants = append(wants, fagus.Want(p.v, fagus.Exclusive).Writing(g.Range(from, to)))
		}
	}
	return wants
}
