package p2p

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// pipeline is the program's data.
type pipeline struct {
	Config
	node      *fagus.Node
	last      int     // rank that has columns; rank 0 has two, as the next is not told of the first corner
	iteration float64 // from 1: a float64, as it goes among those of an edge

	edges  []edge // by rank; that of the last is nobody's
	corner *fagus.Array[corner]
	sets   []*fagus.SyncSet // of this rank, by batch

	width int       // columns of this rank
	grid  []float64 // its rows, each with one number more on the left
}

// edge is the last column of a rank, in batches. Before each stands the iteration in which it was made.
type edge struct {
	*fagus.Array[float64]
	stride int // from batch to batch
	guards []*fagus.SyncVar
}

// of is a batch, the iteration first.
func (e *edge) of(batch int) []float64 {
	return e.Slice()[batch*e.stride:][:e.stride]
}

// corner is what rank 0 begins with: the last rank's, negated, and in which iteration it was made.
type corner struct{ Iteration, Value float64 }

// declare makes the arrays and binds the variables, edges from the last to the first.
func (p *pipeline) declare() (err error) {
	n := p.node
	p.edges = make([]edge, p.last)
	for rank := p.last - 1; rank >= 0; rank-- {
		e := edge{stride: 1 + p.Batch, guards: make([]*fagus.SyncVar, p.batches())}
		name := fmt.Sprintf("edge %d", rank)
		if e.Array, err = fagus.NewArray[float64](n, name, len(e.guards)*e.stride); err != nil {
			return err
		}
		for batch := range e.guards {
			if e.guards[batch], err = n.Bind(fmt.Sprintf("%s.%d", name, batch), e.Range(batch*e.stride, (batch+1)*e.stride)); err != nil {
				return err
			}
		}
		p.edges[rank] = e
	}
	if p.corner, err = fagus.NewArray[corner](n, "corner", 1); err != nil {
		return err
	}
	guard, err := n.Bind("corner", p.corner.All())
	if err != nil || n.Rank() > p.last {
		return err
	}
	for batch := range p.batches() {
		p.sets = append(p.sets, n.Set(p.wants(batch, guard)...))
	}
	return nil
}

// wants is what this rank needs for a batch.
func (p *pipeline) wants(batch int, corner *fagus.SyncVar) (wants []fagus.Request) {
	rank := p.node.Rank()
	if rank > 0 {
		wants = append(wants, fagus.Want(p.edges[rank-1].guards[batch], fagus.Shared))
	}
	if rank < p.last {
		wants = append(wants, fagus.Want(p.edges[rank].guards[batch], fagus.Exclusive))
	}
	switch {
	case rank == p.last && batch == p.batches()-1:
		wants = append(wants, fagus.Want(corner, fagus.Exclusive))
	case rank == 0 && batch == 0:
		wants = append(wants, fagus.Want(corner, fagus.Shared))
	}
	return wants
}

// there says whether what a batch needs has been made, as far as this rank can see now.
func (p *pipeline) there(batch int) bool {
	switch rank := p.node.Rank(); {
	case rank > 0:
		return p.edges[rank-1].of(batch)[0] == p.iteration
	case batch == 0:
		return p.corner.Slice()[0].Iteration == p.iteration-1
	}
	return true
}

// fill makes the first row and the first column, and the numbers on the left of the first row.
func (p *pipeline) fill() {
	lo, hi := parts.Block(p.Columns, p.last+1, min(p.node.Rank(), p.last))
	p.width = hi - lo
	p.grid = make([]float64, p.Rows*(p.width+1))
	for i, row := 0, p.at(0); i < len(row); i++ {
		row[i] = float64(lo - 1 + i)
	}
	if p.node.Rank() == 0 {
		for j := range p.Rows {
			p.at(j)[1] = float64(j)
		}
	}
}

// at is row j of this rank's columns, with the number left of them.
func (p *pipeline) at(j int) []float64 {
	return p.grid[j*(p.width+1):][:p.width+1]
}
