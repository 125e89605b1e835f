package p2p

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

type pipeline struct {
	Config
	node *fagus.Node
	// last rank with columns; rank 0 has two, as the next rank does not read the first corner
	last      int
	iteration float64 // from 1; a float64 because it is stored in edges

	edges  []edge // by rank; the last rank has none
	corner *fagus.Array[corner]
	sets   []*fagus.SyncSet // by batch: this rank's edge and the previous rank's

	width int       // columns of this rank
	grid  []float64 // its rows; each begins with the last number of the previous rank's row
}

// edge is a rank's last column, in batches, each after the iteration that wrote it.
type edge struct {
	*fagus.Array[float64]
	stride int // elements of a batch
	guards []*fagus.SyncVar
}

// of returns a batch: the iteration, and then the numbers.
func (e *edge) of(batch int) []float64 { return e.Slice()[batch*e.stride:][:e.stride] }

// corner is the input of rank 0 for an iteration: the last corner, negated, and its iteration.
type corner struct{ Iteration, Value float64 }

// declare binds edges from the last to the first (see the package comment). All ranks call it.
func (p *pipeline) declare() (err error) {
	n := p.node
	p.edges = make([]edge, p.last)
	for rank := p.last - 1; rank >= 0; rank-- {
		e := edge{stride: 1 + p.Batch, guards: make([]*fagus.SyncVar, p.batches())}
		name := fmt.Sprintf("edge %d", rank)
		if e.Array, err = fagus.NewArray[float64](n, name, len(e.guards)*e.stride); err != nil {
			return err
		}
		e.Scratch() // all batches were read
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

// wants returns the requests of a batch. A batch that is not ready is requested again.
func (p *pipeline) wants(batch int, corner *fagus.SyncVar) (wants []fagus.Request) {
	rank := p.node.Rank()
	if rank > 0 {
		wants = append(wants, fagus.Want(p.edges[rank-1].guards[batch], fagus.Shared).Unordered())
	}
	if rank < p.last {
		wants = append(wants, fagus.Want(p.edges[rank].guards[batch], fagus.Exclusive).Unordered())
	}
	switch {
	case rank == p.last && batch == p.batches()-1:
		wants = append(wants, fagus.Want(corner, fagus.Exclusive).Unordered())
	case rank == 0 && batch == 0:
		wants = append(wants, fagus.Want(corner, fagus.Shared).Unordered())
	}
	return wants
}

// ready reports whether a batch's input, which the caller holds, is of this iteration.
func (p *pipeline) ready(batch int) bool {
	switch rank := p.node.Rank(); {
	case rank > 0:
		return p.edges[rank-1].of(batch)[0] == p.iteration
	case batch == 0:
		return p.corner.Slice()[0].Iteration == p.iteration-1
	}
	return true
}

// fill writes this rank's part of the first row and, at rank 0, the first column.
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

// at returns row j of this rank's columns, preceded by the number on their left.
func (p *pipeline) at(j int) []float64 { return p.grid[j*(p.width+1):][:p.width+1] }
