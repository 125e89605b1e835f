package byhand

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// plane is rows of a shared array, of which every rank has a block. A rank reads the last row of
// the rank above if down is set, and the first row of the rank below if up is set.
type plane struct {
	*fagus.Array[float64]
	first    int // element of row 0
	up, down bool
}

// strips are planes of equal shapes. Of each rank's rows, one variable guards what the rank above
// reads, another one what the rank below reads, and a third one the rest.
type strips struct {
	node   *fagus.Node
	rows   int // divided; the last rank also has the rows below
	height int
	guards [][3]guarded // by rank
}

// guarded is a variable with its ranges; none if there are no ranges.
type guarded struct {
	v      *fagus.SyncVar
	ranges []fagus.Range
}

const (
	up = iota
	down
	rest
)

// newStrips binds the variables of planes of height x w elements. The first rows are divided.
func newStrips(node *fagus.Node, name string, rows, height, w int, planes ...plane) (*strips, error) {
	s := &strips{node: node, rows: rows, height: height}
	for rank := range node.Nodes() {
		var own [3]guarded
		lo, hi := s.of(rank)
		_, end := s.divided(rank)
		for _, p := range planes {
			add := func(to, lo, hi int) {
				if lo < hi {
					own[to].ranges = append(own[to].ranges, p.Range(p.first+lo*w, p.first+hi*w))
				}
			}
			switch {
			case lo == hi:
			case p.up && rank > 0:
				add(up, lo, lo+1)
				add(rest, lo+1, hi)
			case p.down && end < rows:
				add(down, end-1, end)
				add(rest, lo, end-1)
			default:
				add(rest, lo, hi)
			}
		}
		for i := range own {
			if len(own[i].ranges) == 0 {
				continue
			}
			var err error
			if own[i].v, err = node.Bind(fmt.Sprintf("%s.%d.%d", name, rank, i), own[i].ranges...); err != nil {
				return nil, err
			}
		}
		s.guards = append(s.guards, own)
	}
	return s, nil
}

// divided returns the rows of a rank among those that are divided.
func (s *strips) divided(rank int) (lo, hi int) { return parts.Block(s.rows, s.node.Nodes(), rank) }

// of returns the rows of a rank.
func (s *strips) of(rank int) (lo, hi int) {
	lo, hi = s.divided(rank)
	if lo < hi && hi == s.rows {
		hi = s.height
	}
	return lo, hi
}

// write returns requests for writing the rows of a rank.
func (s *strips) write(rank int) (wants []fagus.Request) {
	for _, g := range s.guards[rank] {
		if g.v != nil {
			wants = append(wants, g.v.Write().Writing(g.ranges...))
		}
	}
	return wants
}

// read returns requests for reading the rows of a rank.
func (s *strips) read(rank int) (wants []fagus.Request) {
	for _, g := range s.guards[rank] {
		if g.v != nil {
			wants = append(wants, g.v.Read())
		}
	}
	return wants
}

// halo returns requests for the neighbours' rows that this rank reads.
func (s *strips) halo() (wants []fagus.Request) {
	me := s.node.Rank()
	if lo, hi := s.of(me); lo == hi {
		return nil
	}
	if me > 0 && s.guards[me-1][down].v != nil {
		wants = append(wants, s.guards[me-1][down].v.Read())
	}
	if me+1 < s.node.Nodes() && s.guards[me+1][up].v != nil {
		wants = append(wants, s.guards[me+1][up].v.Read())
	}
	return wants
}

// all returns, on rank 0, what request returns for all ranks.
func (s *strips) all(request func(rank int) []fagus.Request) (wants []fagus.Request) {
	for rank := range s.node.Nodes() {
		if s.node.Rank() == 0 {
			wants = append(wants, request(rank)...)
		}
	}
	return wants
}

// phase calls f while this rank holds what it wants.
func phase(node *fagus.Node, set *fagus.SyncSet, f func()) error {
	if err := set.Do(f); err != nil {
		return err
	}
	return node.Fence()
}
