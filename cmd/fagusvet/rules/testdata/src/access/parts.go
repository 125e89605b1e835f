package access

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func pair(n *fagus.Node, p *parts.Pair[int64], x *fagus.Guarded[int64]) error {
	p.Step(func() error {
		x.Slice()[0]++
		return nil
	})
	n.Update()
	fmt.Println(x.Slice()[0])
	parts.Timed(n, func() error { return n.Acquire(n.Set(x.Write())) })
	x.Slice()[0]++
	return n.Err()
}

func queue(n *fagus.Node, q *parts.Queue, x *fagus.Guarded[int64]) error {
	mine := make([]int64, 100)
	err := q.Each(func(b int) error {
		mine[b] = 1
		x.Slice()[b] = 1 // want `access: an element of x is written, but no set is held: the Each of line 25 holds none while it calls this function`
		return nil
	}, parts.Results{
		Want:  func(b int) fagus.Request { return x.Write() },
		Store: func(b int) { x.Slice()[b] = mine[b] },
	})
	if err != nil {
		return err
	}
	x.Slice()[1]++ // want `access: an element of x is written, but no set is held: the Each of line 25 has released it`
	return nil
}

// The results of one array are stored in another.
func otherResults(n *fagus.Node, q *parts.Queue) error {
	x, y := fagus.NewGuarded[int64](n, "x", 10), fagus.NewGuarded[int64](n, "y", 10)
	q.Each(func(b int) error { return nil }, parts.Results{
		Want:  func(b int) fagus.Request { return x.Write() },
		Store: func(b int) { x.Slice()[b] = y.Slice()[b] }, // want `an element of "y" is read, but the set that line 43 acquires has nothing that guards it`
	})
	return n.Err()
}

type search struct {
	n    *fagus.Node
	best *fagus.Guarded[int64]
	pool *parts.Pool[int64]
}

func (s *search) run() error {
	return s.pool.Each(nil, s.follow, parts.Exchange{Want: s.want, Do: s.exchange})
}

func (s *search) follow(t int64, add func(int64)) error {
	add(t + 1)
	s.best.Slice()[0] = t // want `the Each of line 57 holds none while it calls this function`
	s.n.Set(s.best.Write()).Do(func() { s.best.Slice()[0] = t })
	return nil
}

func (s *search) want() []fagus.Request { return []fagus.Request{s.best.Write().Unordered()} }
func (s *search) exchange()             { s.best.Slice()[0]++ }

// What Gather and Exchange pass to a function is in shared memory.
func keep(n *fagus.Node, v *parts.Vectors[int64], a *parts.AllToAll[int64]) error {
	var all [][]int64
	var first []int64
	v.Gather(nil, func(from [][]int64) {
		all = from
		first = from[0]
	})
	fmt.Println(all[0][0], // want `access: an element of from is read, but no set is held: the Gather of line 74 has released it`
		first[0]) // want `access: an element of from is read, but no set is held: the Gather of line 74 has released it`
	var got, own, copied []int64
	a.Exchange(func(to [][]int64) {
		for r := range to {
			to[r] = append(to[r], 1)
			to[r][0]++
		}
	}, func(from [][]int64) {
		got = from[1][1:]
		own = from[n.Rank()]
		copied = slices.Concat(from...)
	})
	fmt.Println(got[0]) // want `an element of from is read, but no set is held: the Exchange of line 81 has released it`
	fmt.Println(own[0], copied[0])
	return n.Err()
}

// Other calls leave nothing held.
func after(n *fagus.Node, t *parts.Table[int, int64], s *parts.Sums[int64], v *parts.Vectors[int64], x *fagus.Guarded[int64]) {
	n.Set(x.Read()).Do(func() { fmt.Println(x.Slice()[0]) })
	t.Merge()
	fmt.Println(x.Slice()[0]) // want `access: an element of x is read, but no set is held`
	parts.Broadcast[int64](n, nil, 0)
	x.Slice()[0]++ // want `access: an element of x is written, but no set is held`
	x.Slice()[1]++ // want `access: an element of x is written, but no set is held`
	fagus.Gather(n, 1)
}

// Timed begins with nothing held, and may follow an Update.
func timed(n *fagus.Node, x *fagus.Guarded[int64]) {
	parts.Timed(n, func() error {
		fmt.Println(x.Slice()[0])
		x.Slice()[0]++ // want `no set is held: the Timed of line 109 holds none while it calls this function`
		return nil
	})
}
