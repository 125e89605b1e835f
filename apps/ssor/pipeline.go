package ssor

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// pipeline makes the sweeps of one kind. A rank sweeps over its planes batch by batch, each batch
// after the rank that is before it in the order of the sweep. It needs the batch's rows of that
// rank's last plane: the edge.
type pipeline struct {
	*solver
	sweep   *sweep
	batches []batch
	in, out edge // in is the out of the rank before
	sets    []*fagus.SyncSet

	at        int     // index of the present batch
	iteration float64 // from 1: the stamp of the edges
	ready     func() bool
	before    func(y int) []vector
}

// edge has a plane between two ranks, in batches. An element with a stamp, the iteration, precedes
// the rows of a batch.
type edge struct {
	*fagus.Array[vector] // nil: there is no rank on this side
	guards               []*fagus.SyncVar
	stride               int // elements of a batch
}

func (e *edge) bounds(at int) (lo, hi int) { return at * e.stride, (at + 1) * e.stride }

// of returns the stamp and the rows of a batch.
func (e *edge) of(at int) (stamp *float64, rows []vector) {
	elements := e.Part(e.bounds(at))
	return &elements[0][0], elements[1:]
}

// newPipeline declares the edges, from the end of the pipeline to its begin: threaded mode acquires
// variables in this order. So a rank already holds its own edge while it waits for that of the rank
// before, and the next rank has to wait for both. All ranks call it.
func newPipeline(s *solver, name string, sweep sweep) (*pipeline, error) {
	p := &pipeline{solver: s, sweep: &sweep, batches: s.batches(sweep.step)}
	n := s.node
	rank, begin := n.Nodes()-1, 0
	if sweep.step < 0 {
		rank, begin = begin, rank
	}
	for rank != begin {
		after := rank
		rank -= sweep.step
		e, err := p.declare(fmt.Sprintf("%s edge %d", name, rank))
		if err != nil {
			return nil, err
		}
		switch n.Rank() {
		case rank:
			p.out = e
		case after:
			p.in = e
		}
	}
	for at := range p.batches {
		p.sets = append(p.sets, n.Set(p.wants(at)...))
	}
	p.ready = func() bool { stamp, _ := p.in.of(p.at); return *stamp == p.iteration }
	outside := make([]vector, s.n) // the correction is 0 beyond the inner planes
	p.before = func(y int) []vector {
		if p.in.Array == nil {
			return outside
		}
		_, rows := p.in.of(p.at)
		return rows[(y-p.batches[p.at].lo)*s.n:][:s.n]
	}
	return p, nil
}

func (p *pipeline) declare(name string) (e edge, err error) {
	e.stride = 1 + rowsAtOnce*p.n
	if e.Array, err = fagus.NewArray[vector](p.node, name, len(p.batches)*e.stride); err != nil {
		return e, err
	}
	e.Scratch() // between iterations all batches have been read
	for at := range p.batches {
		guard, err := p.node.Bind(fmt.Sprintf("%s.%d", name, at), e.Range(e.bounds(at)))
		if err != nil {
			return e, err
		}
		e.guards = append(e.guards, guard)
	}
	return e, nil
}

// wants returns the requests of a batch, first that for whose change the rank waits.
func (p *pipeline) wants(at int) (wants []fagus.Request) {
	if p.in.Array != nil {
		wants = append(wants, fagus.Want(p.in.guards[at], fagus.Shared).Unordered())
	}
	if p.out.Array != nil {
		out := fagus.Want(p.out.guards[at], fagus.Exclusive).Unordered()
		wants = append(wants, out.Writing(p.out.Range(p.out.bounds(at))))
	}
	return wants
}

// run makes the sweep of an iteration.
func (p *pipeline) run(iteration int) {
	p.iteration = float64(1 + iteration)
	for p.at = range p.batches {
		if p.acquire() != nil {
			return // the next call returns the error, too
		}
		rows := p.batches[p.at]
		p.block.sweep(p.sweep, rows, p.before)
		if p.out.Array != nil {
			p.hand(rows)
		}
		p.spend(sweepShare * float64(rows.hi-rows.lo) / float64(p.n-2))
		p.node.Release(p.sets[p.at])
	}
}

func (p *pipeline) acquire() error {
	if p.in.Array == nil {
		return p.node.Acquire(p.sets[p.at])
	}
	return p.node.AcquireWhen(p.sets[p.at], p.ready)
}

// hand copies the rows of the last plane to the edge.
func (p *pipeline) hand(rows batch) {
	z := p.hi - 1
	if p.sweep.step < 0 {
		z = p.lo
	}
	stamp, to := p.out.of(p.at)
	*stamp = p.iteration
	for y := rows.lo; y < rows.hi; y++ {
		copy(to[(y-rows.lo)*p.n:], p.row(z, y))
	}
}
