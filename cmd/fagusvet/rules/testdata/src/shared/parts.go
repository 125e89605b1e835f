package shared

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func queue(n *fagus.Node, q, other, third *parts.Queue, x *fagus.Array[int64], guards []*fagus.SyncVar) {
	work := func(b int) error { return nil }
	q.Each(work, parts.Results{
		Want:  func(b int) fagus.Request { return guards[b].Read() },
		Store: func(b int) { x.Slice()[b] = 1 }, // want `shared: an element of x is written, but the set that line 10 acquires has nothing Exclusive that guards it`
	})
	other.Each(work, parts.Results{
		Want:  func(b int) fagus.Request { return guards[b].Write() },
		Store: func(b int) { x.Slice()[b] = 1 },
	})
	third.Each(work, parts.Results{
		Store: func(b int) { x.Slice()[b] = 1 }, // want `shared: an element of x is written, but the set that line 18 acquires has nothing Exclusive that guards it`
	})
}

func unknownResults(q *parts.Queue, x *fagus.Array[int64], want func(b int) fagus.Request, r parts.Results) {
	q.Each(nil, parts.Results{Want: want, Store: func(b int) { x.Slice()[b] = 1 }})
	q.Each(nil, r)
	r.Store = func(b int) { x.Slice()[b] = 1 }
	q.Each(nil, r)
}

type search struct {
	best  *fagus.Guarded[int64]
	pool  *parts.Pool[int64]
	found int64
}

func (s *search) run(reading *parts.Pool[int64]) {
	s.pool.Each(nil, nil, parts.Exchange{Want: s.want, Do: s.exchange})
	reading.Each(nil, nil, parts.Exchange{
		Want: func() []fagus.Request { return []fagus.Request{s.best.Read().Unordered()} },
		Do:   func() { s.best.Slice()[0] = 1 }, // want `shared: an element of best is written, but the set that line 38 acquires`
	})
}

func (s *search) want() []fagus.Request {
	if s.found > 0 {
		return []fagus.Request{s.best.Write().Unordered()}
	}
	return []fagus.Request{s.best.Read().Unordered()}
}

func (s *search) exchange() {
	if s.found > 0 {
		s.best.Slice()[0] = s.found
	}
	s.found = s.best.Slice()[0]
}

func vectors(n *fagus.Node, v *parts.Vectors[int64], a *parts.AllToAll[int64], x *fagus.Guarded[int64]) {
	v.Gather(nil, func(from [][]int64) {
		for _, y := range from {
			y[0] = 1 // want `shared: an element of from is written, but the set that line 59 acquires has nothing Exclusive that guards it`
		}
		from[0] = nil
		x.Slice()[0] = from[1][0] // want `shared: an element of x is written, but the set that line 59 acquires`
	})
	a.Exchange(func(to [][]int64) {
		to[0] = append(to[0], 1)
		to[0][0] = 2
		copy(to[1], to[0])
	}, func(from [][]int64) {
		from[1][0]++ // want `shared: an element of from is written`
		from[n.Rank()][0]++
		copy(from[0], from[1]) // want `shared: an element of from is written`
	})
}

type sorter struct {
	a    *parts.AllToAll[int64]
	less []int64
}

func (s *sorter) sort() {
	s.a.Exchange(s.send, s.receive)
	s.a.Exchange(s.send, func(from [][]int64) { s.less = from[0] })
}

func (s *sorter) send(to [][]int64) {
	for r := range to {
		to[r] = append(to[r], s.less...)
		to[r][0]++
	}
}

func (s *sorter) receive(from [][]int64) { clear(from[0]) } // want `shared: an element of from is written`
