package variable

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	buckets [16]int
	owned   [100]int
	hits    int
	eighth  int
	lengths = make(map[int]int)
	record  best
)

type best struct {
	sync.Mutex
	cost int
}

func (b *best) offer(cost int) {
	b.Lock()
	defer b.Unlock()
	if cost < b.cost {
		b.cost = cost
	}
}

func length(i int) int {
	if c, ok := lengths[i]; ok {
		return c
	}
	lengths[i] = i * i // want `variable: lengths is written by every rank`
	return i * i
}

// loops: the bounds of a loop depend on the rank, and every rank writes in it.
func loops() {
	program.Main(func(n *fagus.Node) error {
		for i := n.Rank(); i < 100; i += n.Nodes() {
			buckets[i%16]++ // want `variable: buckets is written by every rank: ranks that are goroutines share it`
			owned[i] = 1
			if i%7 == 0 {
				hits++ // want `variable: hits is written by every rank`
			}
			if i == 8 {
				eighth = 1
			}
			length(i)
			record.offer(i) // want `variable: record is written by every rank: a lock orders`
		}
		return n.Err()
	})
}

// locked: ranks are goroutines, and a method locks.
func lockedMethod() int {
	var b best
	var sum atomic.Int64
	_, _ = fagus.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		b.offer(1)
		add(&sum)
		return n.Err()
	})
	return b.cost + int(sum.Load())
}

func add(sum *atomic.Int64) { sum.Add(1) }

// handover passes the Node of each process to the goroutine that has begun the run.
func handover() *fagus.Node {
	ready, quit, counts := make(chan *fagus.Node), make(chan struct{}), make(chan int)
	go cluster.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		ready <- n
		<-quit
		counts <- 1 // want `variable: counts is written by every rank`
		return n.Err()
	})
	return <-ready
}
