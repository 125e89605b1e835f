package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Only rank 0 reads what all ranks give.
func gather(n *fagus.Node, v *parts.Vectors[int64]) ([]int64, error) {
	mine := []int64{int64(n.Rank())}
	var all []int64
	var keep func([][]int64)
	if n.Rank() == 0 {
		keep = func(from [][]int64) { all = slices.Concat(from...) }
	}
	if err := v.Reduce(mine, func(a, b int64) int64 { return a + b }); err != nil {
		return nil, err
	}
	if err := v.Gather(mine, keep); err != nil || n.Rank() != 0 {
		return nil, err
	}
	all[0]++
	return all, n.Err()
}

type sorting struct {
	node   *fagus.Node
	moving *parts.AllToAll[int64]
	counts *parts.Vectors[int64]
	mine   []int64
	begin  []int64
}

func (s *sorting) run() error {
	_, err := parts.Timed(s.node, func() error {
		for range 4 {
			if err := s.counts.Gather(s.mine, s.plan); err != nil {
				return err
			}
			if err := s.moving.Exchange(s.send, s.receive); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

func (s *sorting) plan(counts [][]int64) {
	for i, of := range counts {
		s.begin[i] = of[0]
	}
}

func (s *sorting) send(to [][]int64) {
	rest := s.mine
	for r := range to {
		to[r], rest = rest[:1], rest[1:]
	}
	for _, message := range to {
		message[0] = 1
	}
}

func (s *sorting) receive(from [][]int64) {
	for r := range from {
		copy(s.mine, from[r])
		from[r] = from[r][1:]
	}
}

func wordcount(n *fagus.Node, text string) error {
	add := func(a, b int64) int64 { return a + b }
	words, err := parts.NewTable(n, "words", strings.Compare, add)
	if err != nil {
		return err
	}
	for range 3 {
		for word := range strings.FieldsSeq(text) {
			words.Add(word, 1)
		}
		if err := words.Merge(); err != nil {
			return err
		}
	}
	all, err := words.Collect(0)
	if err != nil || n.Rank() != 0 {
		return err
	}
	fmt.Println(all)
	return nil
}

// A batch may be computed from data that were acquired before, and from what the rank acquires.
func batches(n *fagus.Node, in, out *fagus.Guarded[int64], guards []*fagus.SyncVar) error {
	q, err := parts.NewQueue(n, "q", 100, 10)
	if err != nil {
		return err
	}
	n.Set(in.Read()).Do(func() { fmt.Println(in.Slice()[0]) })
	n.Update()
	private := make([]int64, 100)
	work := func(b int) error {
		private[b] = in.Slice()[b]
		return n.Set(in.Read()).Do(func() { private[b] += in.Slice()[b] })
	}
	if err := q.Each(work, parts.Results{
		Want:  func(b int) fagus.Request { return guards[b].Write() },
		Store: func(b int) { lo, hi := q.Batch(b); copy(out.Slice()[lo:hi], private[lo:hi]) },
	}); err != nil {
		return err
	}
	n.Barrier()
	return n.Set(out.Read()).Do(func() { fmt.Println(out.Slice()[0]) })
}

type search struct {
	n     *fagus.Node
	best  *fagus.Guarded[int64]
	known int64
	found int64
}

func (s *search) run() error {
	p, err := parts.NewPool[int64](s.n, "pool", 10)
	if err != nil {
		return err
	}
	var first []int64
	if s.n.Rank() == 0 {
		first = []int64{1}
	}
	if err := p.Each(first, s.follow, parts.Exchange{Want: s.want, Do: s.exchange}); err != nil {
		return err
	}
	return s.n.Set(s.best.Read()).Do(func() { s.known = s.best.Slice()[0] })
}

func (s *search) follow(t int64, add func(int64)) error {
	for i := range 3 {
		add(t + int64(i))
	}
	s.found = t
	return s.n.Err()
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
	s.known = s.best.Slice()[0]
}

// The one is held, the other is read after an Update of the caller.
func twoBlocks(n *fagus.Node, a, b *parts.Blocks[int64]) {
	n.Set(a.WantMine(fagus.Exclusive)...).Do(func() { a.Slice()[0]++ })
	fmt.Println(b.Slice()[1])
}

// The measured calls bring the data.
func measuredUpdate(n *fagus.Node, x *fagus.Guarded[int64]) error {
	n.Set(x.Write()).Do(func() { x.Slice()[n.Rank()]++ })
	n.Measure(func() error { return n.Update() })
	fmt.Println(x.Slice()[0])
	return n.Err()
}

// A function may acquire for the time that comes after it.
func measuredAcquire(n *fagus.Node, x *fagus.Guarded[int64], set *fagus.SyncSet) error {
	n.Set(x.Read()).Do(func() {})
	n.Measure(func() error { return n.Acquire(set) })
	x.Slice()[0]++
	return n.Release(set)
}
