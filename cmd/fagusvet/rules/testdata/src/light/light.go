// Command light has correct programs, in which no rule may report anything.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

func main() {
	if err := all(); err != nil {
		log.Fatal(err)
	}
}

func all() error {
	ctx := context.Background()
	_, counting := fagus.Run(ctx, fagus.Config{}, count)
	_, living := fagus.Run(ctx, fagus.Config{}, life)
	_, words := fagus.Run(ctx, fagus.Config{}, words)
	_, tasks := fagus.Run(ctx, fagus.Config{}, tasks)
	_, zones := fagus.Run(ctx, fagus.Config{}, zones)
	var results []float64
	_, heat := fagus.Run(ctx, fagus.Config{}, func(n *fagus.Node) error {
		h := newHeat(n, 100)
		h.run(10)
		if n.Rank() == 0 {
			h.toRead.Do(func() { results = h.now.Copy() })
		}
		return n.Err()
	})
	fmt.Println(results)
	return errors.Join(counting, living, words, tasks, zones, heat)
}

// The program of README.md.
func count(n *fagus.Node) error {
	counts := fagus.NewGuarded[int64](n, "counts", 1000)
	n.Set(counts.Write()).Do(func() {
		counts.Slice()[n.Rank()]++
	})
	n.Update()
	fmt.Println("rank", n.Rank(), "sees", counts.Slice()[:n.Nodes()])
	return n.Err()
}

// The two arrays are swapped after each step.
func life(n *fagus.Node) error {
	now, next := fagus.NewGuarded[int8](n, "even", 100), fagus.NewGuarded[int8](n, "odd", 100)
	if n.Rank() == 0 {
		n.Set(now.Write()).Do(func() { now.Slice()[7] = 1 })
	}
	n.Barrier()
	lo, hi := n.Rank()*100/n.Nodes(), (n.Rank()+1)*100/n.Nodes()
	mine := make([]int8, hi-lo)
	for range 10 {
		n.Set(now.Read()).Do(func() {
			cells := now.Slice()
			for i := range mine {
				mine[i] = cells[(lo+i+99)%100] + cells[(lo+i+1)%100]
			}
		})
		n.Set(next.Write().Writing(next.Range(lo, hi))).Do(func() { copy(next.Slice()[lo:hi], mine) })
		n.Barrier()
		now, next = next, now
	}
	alive := 0
	n.Set(now.Read()).Do(func() {
		for _, c := range now.Slice() {
			alive += int(c)
		}
	})
	fmt.Println(alive)
	return n.Err()
}

// Each rank adds its counts, and rank 0 prints what an Update has brought.
func words(n *fagus.Node) error {
	table := fagus.NewGuarded[struct{ Word, Count int64 }](n, "table", 100)
	entries := table.Slice()
	own := map[int64]int64{1: 1}
	if err := n.Set(table.Write()).Do(func() {
		for word, count := range own {
			entries[word].Count += count
		}
	}); err != nil {
		return err
	}
	if err := n.Update(); err != nil {
		return err
	}
	if n.Rank() == 0 {
		fmt.Println(slices.Clone(entries), table.Copy())
	}
	return nil
}

// Tasks are taken until none is left.
func tasks(n *fagus.Node) error {
	head := fagus.NewGuarded[int64](n, "head", 1)
	done := fagus.NewGuarded[int64](n, "done", 100)
	take := n.Set(head.Write().Unordered())
	for n.Context().Err() == nil {
		var task int64
		if err := take.Do(func() {
			task = head.Slice()[0]
			head.Slice()[0]++
		}); err != nil {
			return err
		}
		if task >= 100 {
			break
		}
		n.Set(done.Write()).Do(func() { done.Slice()[task] = int64(n.Rank()) })
	}
	n.Barrier()
	return n.During(n.Set(done.Read(), head.Read()), func() error {
		if slices.Contains(done.Slice(), 0) && head.Slice()[0] < 100 {
			return errors.New("a task is left")
		}
		return nil
	})
}

// Every rank has a variable for its zone, and reads that of its neighbour.
func zones(n *fagus.Node) error {
	a, err := fagus.NewArray[float64](n, "a", 100)
	if err != nil {
		return err
	}
	var vars []*fagus.SyncVar
	for rank := range n.Nodes() {
		v, _ := n.Bind(fmt.Sprint(rank), a.Range(rank, rank+1))
		vars = append(vars, v)
	}
	me, next := n.Rank(), (n.Rank()+1)%n.Nodes()
	total := fagus.NewGuarded[float64](n, "total", 1)
	set := n.Set(vars[me].Write())
	if me == 0 {
		set = n.Set(vars[me].Write(), total.Write())
	}
	set.Do(func() {
		a.Slice()[me] = 1
		if me == 0 {
			total.Slice()[0] = 0
		}
	})
	n.Fence()
	n.Acquire(n.Set(vars[next].Read(), total.Write()))
	total.Slice()[0] += a.Slice()[next]
	n.Release(nil)
	return n.Err()
}

type heat struct {
	n              *fagus.Node
	now, next      *fagus.Guarded[float64]
	toStep, toCopy *fagus.SyncSet
	toRead         *fagus.SyncSet
	change         float64
}

func newHeat(n *fagus.Node, length int) *heat {
	h := &heat{n: n}
	h.now = fagus.NewGuarded[float64](n, "now", length)
	h.next = fagus.NewGuarded[float64](n, "next", length)
	h.toStep = n.Set(h.now.Read(), h.next.Write())
	h.toCopy = n.Set(h.now.Write(), h.next.Read())
	h.toRead = n.Set(h.now.Read())
	return h
}

func (h *heat) run(steps int) {
	for i := 0; i < steps && h.n.Err() == nil; i++ {
		h.toStep.Do(h.step)
		h.n.During(h.toCopy, h.copy)
		change, _ := fagus.Reduce(h.n, h.change, func(a, b float64) float64 { return a + b })
		if change < 1e-9 {
			return
		}
	}
}

func (h *heat) step() {
	from, to := h.now.Slice(), h.next.Slice()
	for i := 1; i < len(from)-1; i++ {
		to[i] = (from[i-1] + from[i+1]) / 2
		h.change += to[i] - from[i]
	}
}

func (h *heat) copy() error {
	copy(h.now.Slice(), h.next.Slice())
	return h.n.Err()
}

// A Guarded may be composed.
func composed(a *fagus.Array[int64], v *fagus.SyncVar) *fagus.Guarded[int64] {
	return &fagus.Guarded[int64]{Array: a, Var: v}
}

// The caller may have called Update.
func copyFirst(n *fagus.Node, x, y *fagus.Guarded[int64]) {
	first := int64(0)
	n.Set(x.Read()).Do(func() { first = x.Slice()[0] })
	fmt.Println(first, y.Slice()[0])
}
