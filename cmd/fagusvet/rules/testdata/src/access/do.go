package access

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

func readme(n *fagus.Node) error {
	counts := fagus.NewGuarded[int64](n, "counts", 1000)
	n.Set(counts.Write()).Do(func() {
		counts.Slice()[n.Rank()]++
	})
	n.Update()
	fmt.Println("rank", n.Rank(), "sees", counts.Slice()[:n.Nodes()])
	return n.Err()
}

// As readme, without the Update.
func readmeWithoutUpdate(n *fagus.Node) error {
	counts := fagus.NewGuarded[int64](n, "counts", 1000)
	counts.Slice()[0] = 1 // want `access: an element of "counts" is written, but no set is held before the Do of line 24`
	n.Set(counts.Write()).Do(func() {
		counts.Slice()[n.Rank()]++
	})
	fmt.Println("rank", n.Rank(), "sees", counts.Slice()[:n.Nodes()]) // want `access: an element of "counts" is read, but no set is held: the Do of line 24 has released it`
	return n.Err()
}

func runAll() {
	fagus.Run(context.Background(), fagus.Config{}, readme)
	fagus.Run(context.Background(), fagus.Config{}, readmeWithoutUpdate)
	fagus.Run(context.Background(), fagus.Config{}, otherSet)
	fagus.Run(context.Background(), fagus.Config{}, app{}.program)
	fagus.Run(context.Background(), fagus.Config{}, new(world).again)
	fagus.Run(context.Background(), fagus.Config{}, failedRun)
	fagus.Run(context.Background(), fagus.Config{}, updatesInBody)
	fagus.Run(context.Background(), fagus.Config{}, genericProgram[int64])
}

func afterDuring(n *fagus.Node, x *fagus.Guarded[int64]) error {
	if err := n.During(n.Set(x.Write()), func() error {
		x.Slice()[0] = 1
		return nil
	}); err != nil {
		return err
	}
	x.Slice()[1] = 1          // want `an element of x is written, but no set is held: the During of line 43 has released it`
	fmt.Println(x.Slice()[1]) // want `an element of x is read`
	if err := n.During(n.Set(x.Write()), func() error { x.Slice()[0] = 2; return n.Err() }); err != nil {
		x.Slice()[0] = 0 // the run has failed
		return err
	}
	return nil
}

// A loop may read what the Update of the round before has brought.
func roundsOfDo(n *fagus.Node, x *fagus.Guarded[int64]) error {
	for i := 0; i < 10 && n.Err() == nil; i++ {
		left := int64(0)
		n.Set(x.Read()).Do(func() { left = x.Slice()[0] })
		if left == 0 {
			break
		}
		n.Set(x.Write()).Do(func() { x.Slice()[0] = left - 1 })
		n.Barrier()
		n.Update()
		fmt.Println(x.Slice()[0])
	}
	return n.Err()
}

func otherSet(n *fagus.Node) error {
	x := fagus.NewGuarded[int64](n, "x", 10)
	y := fagus.NewGuarded[int64](n, "y", 10)
	set := n.Set(y.Write())
	set.Do(func() {
		y.Slice()[0] = x.Slice()[0] // want `access: an element of "x" is read, but the set that line 78 acquires has nothing that guards it`
	})
	n.Set(x.Read(), y.Write()).Do(func() { y.Slice()[0] = x.Slice()[0] })
	n.Acquire(set)
	y.Slice()[0] = x.Slice()[0] // want `an element of "x" is read, but the set that line 82 acquires`
	n.Release(set)
	n.Update()
	set.Do(func() { y.Slice()[0] = x.Slice()[0] }) // an Update has brought it
	n.Acquire(set)
	y.Slice()[0] = x.Slice()[0]
	n.Release(set)
	return n.Err()
}

// Who calls this may have called Update.
func otherSetInHelper(n *fagus.Node, w *world) {
	n.Set(w.y.Write()).Do(func() { w.y.Slice()[0] = w.x.Slice()[0] })
	n.Set(w.x.Write()).Do(func() { w.x.Slice()[0]++ })
	n.Set(w.y.Write()).Do(func() {
		w.y.Slice()[0] = w.x.Slice()[0] // want `an element of "x" is read, but the set that line 97 acquires`
	})
	refresh(n)
	n.Set(w.y.Write()).Do(func() { w.y.Slice()[0] = w.x.Slice()[0] })
}

func refresh(n *fagus.Node) { n.Update() }

type world struct {
	x, y *fagus.Guarded[int64]
	n    *fagus.Node
	set  *fagus.SyncSet
}

func newWorld(n *fagus.Node) *world {
	return &world{x: fagus.NewGuarded[int64](n, "x", 10), y: fagus.NewGuarded[int64](n, "y", 10)}
}

// A method value is a program as well as a function is.
type app struct{}

func (app) program(n *fagus.Node) error {
	x := fagus.NewGuarded[int64](n, "x", 10)
	fmt.Println(x.Slice()[0]) // want `an element of "x" is read, but no set is held`
	return n.Set(x.Write()).Do(func() {})
}

// What f does is not known: after Do nothing is held, and an Update may have brought the data.
func unknownBody(n *fagus.Node, x *fagus.Guarded[int64], f func()) {
	set := n.Set(x.Write())
	set.Do(f)
	fmt.Println(x.Slice()[0])
	x.Slice()[0] = 1 // want `an element of x is written, but no set is held: the Do of line 128 has released it`
	set.Do(func() { x.Slice()[0]++ })
}

// The body itself releases.
func releaseInBody(n *fagus.Node, x *fagus.Guarded[int64], set *fagus.SyncSet) {
	n.During(set, func() error {
		x.Slice()[0]++
		n.Release(set)
		x.Slice()[0]++ // want `an element of x is written, but no set is held: line 138 has released it`
		return n.Acquire(set)
	})
}

// A function that runs in a tenure and elsewhere is not checked.
func inBothPlaces(n *fagus.Node, set *fagus.SyncSet, x *fagus.Guarded[int64]) {
	f := func() { x.Slice()[0]++ }
	set.Do(f)
	f()
}

// The function runs itself.
func (w *world) again(n *fagus.Node) error {
	w.n = n
	w.set = n.Set(w.y.Write())
	return w.set.Do(w.more)
}

func (w *world) more() {
	w.y.Slice()[0] = w.x.Slice()[0]
	w.n.Barrier()
	w.set.Do(w.more)
}

// Only a failed run reads.
func failedRun(n *fagus.Node) error {
	x := fagus.NewGuarded[int64](n, "x", 10)
	set := n.Set()
	if err := n.Barrier(); err != nil {
		set.Do(func() { fmt.Println(x.Slice()[0]) })
		return err
	}
	return n.Set(x.Write()).Do(func() {})
}

// The body ends its tenure, updates, and begins another one.
func updatesInBody(n *fagus.Node) error {
	x := fagus.NewGuarded[int64](n, "x", 10)
	set := n.Set(x.Write())
	n.During(set, func() error {
		x.Slice()[0]++
		n.Release(set)
		n.Update()
		return n.Acquire(set)
	})
	fmt.Println(x.Slice()[0])
	return n.Err()
}

func genericProgram[T any](n *fagus.Node) error {
	x := fagus.NewGuarded[T](n, "x", 10)
	fmt.Println(x.Slice()[0]) // want `an element of "x" is read, but no set is held`
	return n.Set(x.Write()).Do(func() {})
}
