package shared

import "github.com/fagus-dsm/fagus/fagus"

// Methods may be called as values.
func methodValues(n *fagus.Node, x *fagus.Guarded[int64]) {
	acquire, release, request := n.Acquire, n.Release, x.Read
	acquire(n.Set(request()))
	x.Slice()[0] = 1 // want `shared: an element of x is written, but the set that line 8 acquires`
	release(nil)
	slice, set, do := x.Slice, n.Set, n.Set(x.Read()).Do
	do(func() { x.Slice()[0] = 1 })               // want `an element of x is written`
	set(x.Read()).Do(func() { x.Slice()[0] = 1 }) // want `an element of x is written`
	set(x.Read()).Do(func() { slice()[0] = 1 })   // slice may be another array's
	(*fagus.Node).During(n, set(), func() error {
		x.Slice()[0] = 1 // want `an element of x is written`
		return nil
	})
	n.Acquire(set(x.Read()))
	all := x.Slice
	all()[0] = 1 // want `an element of x is written`
	n.Release(nil)
}

func generic[T any](n *fagus.Node, x *fagus.Guarded[T], v T) {
	n.Set(x.Read()).Do(func() { x.Slice()[0] = v }) // want `an element of x is written`
	y := fagus.NewGuarded[T](n, "y", 10)
	n.Set(x.Write(), y.Read()).Do(func() {
		x.Slice()[0] = v
		y.Slice()[0] = v // want `an element of "y" is written`
	})
}
