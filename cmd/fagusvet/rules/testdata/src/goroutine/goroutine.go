package goroutine

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/lib"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func wrong(n *fagus.Node, a *fagus.Guarded[int], v *parts.Vectors[int]) error {
	set := n.Set(a.Write())
	go func() {
		n.Barrier()                          // want `goroutine: Barrier is called by the goroutine that line 18 starts: a Node belongs to one goroutine; make its calls in the one that runs the program`
		set.Do(func() { a.Slice()[0] = 1 })  // want `goroutine: Do is called`
		v.Gather(nil, func(from [][]int) {}) // want `goroutine: Gather is called`
	}()
	go n.Barrier()                           // want `goroutine: Barrier is called by another goroutine than the rank's`
	go meet(n)                               // want `goroutine: meet \(which makes calls of the Node\) is called by another`
	go lib.Meet(n)                           // want `goroutine: Meet \(which makes calls of the Node\) is called by another`
	go func(n *fagus.Node) { n.Update() }(n) // want `goroutine: Update is called`
	var all sync.WaitGroup
	all.Go(func() { meet(n) }) // want `goroutine: meet \(which makes calls of the Node\) is called by the goroutine that line 28`
	var group errgroup.Group
	group.Go(func() error { return n.Fence() }) // want `goroutine: Fence is called`
	time.AfterFunc(time.Second, func() {
		fagus.Reduce(n, 1, nil) // want `goroutine: Reduce is called`
	})
	http.HandleFunc("/", func(http.ResponseWriter, *http.Request) {
		n.Set(a.Read()).Do(func() {}) // want `goroutine: Do is called`
	})
	w := &worker{n}
	go w.loop() // want `goroutine: loop \(which makes calls of the Node\) is called`
	all.Go(w.step)
	all.Wait()
	return group.Wait()
}

type worker struct{ n *fagus.Node }

func (w *worker) loop() { w.n.Barrier() }

func (w *worker) step() { w.n.Update() } // want `goroutine: Update is called by the goroutine that line 39`

func meet(n *fagus.Node) error { return n.Barrier() }

func right(n *fagus.Node, a *fagus.Guarded[int]) error {
	var all sync.WaitGroup
	n.Set(a.Write()).Do(func() {
		x := a.Slice()
		for i := range x {
			all.Go(func() { x[i] = n.Rank() + n.Nodes() })
		}
		go sum(x)
		all.Wait()
	})
	go func() {
		fagus.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error { return n.Barrier() })
	}()
	go fagus.Run(context.Background(), fagus.Config{}, meet)
	func() { n.Barrier() }()
	return meet(n)
}

func sum(x []int) {}

func async(f func() error) <-chan error {
	c := make(chan error, 1)
	go func() { c <- f() }()
	return c
}

func start(f func()) { go f() }

func here(f func() error) error { return f() }

func passes(n *fagus.Node, a *fagus.Guarded[int]) error {
	waiting := async(n.Update) // want `goroutine: Update is called by another goroutine`
	start(func() {
		n.Set(a.Read()).Do(func() {}) // want `goroutine: Do is called by the goroutine that line`
	})
	start(func() { println(n.Rank()) })
	if err := here(n.Barrier); err != nil {
		return err
	}
	return <-waiting
}
