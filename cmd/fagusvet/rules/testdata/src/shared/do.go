package shared

import "github.com/fagus-dsm/fagus/fagus"

func doShared(n *fagus.Node, x *fagus.Guarded[int64]) error {
	n.Set(x.Read()).Do(func() {
		x.Slice()[0] = 1 // want `shared: an element of x is written, but the set that line 6 acquires has nothing Exclusive that guards it`
	})
	n.Set(x.Write()).Do(func() { x.Slice()[0] = 1 })
	set := n.Set(x.Read())
	return n.During(set, func() error {
		clear(x.Slice()) // want `an element of x is written, but the set that line 11 acquires`
		return nil
	})
}

// The set guards another array.
func doOther(n *fagus.Node) {
	x := fagus.NewGuarded[int64](n, "x", 10)
	y := fagus.NewGuarded[int64](n, "y", 10)
	n.Set(y.Write()).Do(func() {
		y.Slice()[0]++
		x.Slice()[0]++ // want `shared: an element of "x" is written, but the set that line 21 acquires has nothing Exclusive that guards it`
	})
	set := n.Set(y.Write())
	n.Acquire(set)
	x.Slice()[0]++ // want `an element of "x" is written`
	n.Release(set)
}

// A parameter may be the array that the set guards.
func doParameter(n *fagus.Node, x *fagus.Guarded[int64]) {
	y := fagus.NewGuarded[int64](n, "y", 10)
	n.Set(y.Write()).Do(func() { x.Slice()[0]++ })
}

// The variable of an array may be in a set that comes from elsewhere.
func doUnknownSet(n *fagus.Node, set *fagus.SyncSet, wants []fagus.Request) {
	x := fagus.NewGuarded[int64](n, "x", 10)
	y := fagus.NewGuarded[int64](n, "y", 10)
	set.Do(func() { x.Slice()[0]++ })
	n.Set(wants...).Do(func() { x.Slice()[0]++ })
	n.Set(append(wants, y.Write())...).Do(func() { x.Slice()[0]++ })
}

// A function with a name is a body, too, if nothing else calls it.
type life struct {
	n       *fagus.Node
	now     *fagus.Guarded[int64]
	next    *fagus.Guarded[int64]
	toStep  *fagus.SyncSet
	toCount *fagus.SyncSet
}

func (l *life) declare() {
	l.now = fagus.NewGuarded[int64](l.n, "now", 10)
	l.next = fagus.NewGuarded[int64](l.n, "next", 10)
	l.toStep = l.n.Set(l.now.Read(), l.next.Write())
	l.toCount = l.n.Set(l.now.Read())
}

func (l *life) run() error {
	l.toStep.Do(l.step)
	l.toStep.Do(l.stepOften)
	l.stepOften()
	return l.n.During(l.toCount, l.count)
}

func (l *life) step() {
	l.next.Slice()[0] = l.now.Slice()[0]
	l.now.Slice()[0] = 0 // want `an element of "now" is written, but the set that line 63 acquires`
}

func (l *life) stepOften() { l.now.Slice()[0] = 0 }

func (l *life) count() error {
	l.now.Slice()[1]++ // want `an element of "now" is written, but the set that line 66 acquires`
	return nil
}

// Interfaces call Exported; another package calls Add.
func (l *life) exported() {
	l.toCount.Do(l.Add)
	l.toCount.Do(l.visit)
	var v visitor = l
	v.visit()
}

type visitor interface{ visit() }

func (l *life) Add()   { l.now.Slice()[0]++ }
func (l *life) visit() { l.now.Slice()[0]++ }

// The function may run elsewhere.
func keeps(n *fagus.Node, x *fagus.Guarded[int64]) func() {
	f := func() { x.Slice()[0]++ }
	n.Set(x.Read()).Do(f)
	return f
}

// One of the two sets has x Exclusive.
func twoSets(n *fagus.Node, x *fagus.Guarded[int64], read, write bool) {
	f := func() {
		if write {
			x.Slice()[0]++
		}
	}
	if read {
		n.Set(x.Read()).Do(f)
	} else {
		n.Set(x.Write()).Do(f)
	}
	g := func() { x.Slice()[0]++ } // want `an element of x is written, but the set that line 115 acquires`
	if read {
		n.Set(x.Read()).Do(g)
	} else {
		n.Set().Do(g)
	}
}

func halvesInDo(n *fagus.Node) {
	a, _ := fagus.NewArray[int64](n, "a", 10)
	low, _ := n.Bind("low", a.Range(0, 5))
	high, _ := n.Bind("high", a.Range(5, 10))
	x := fagus.NewGuarded[int64](n, "x", 10)
	n.Set(low.Read(), high.Write()).Do(func() { a.Slice()[5] = a.Slice()[0] })
	n.Set(low.Read(), x.Write()).Do(func() {
		x.Slice()[5] = a.Slice()[0]
		a.Slice()[0] = x.Slice()[0] // want `an element of "a" is written`
	})
	n.Set(x.Write()).Do(func() {
		a.Slice()[0] = 1 // want `an element of "a" is written`
	})
}

// The body runs after the Release that it contains, or in it.
func releasedInside(n *fagus.Node, set *fagus.SyncSet, x *fagus.Guarded[int64]) {
	n.During(n.Set(x.Read()), func() error {
		x.Slice()[0] = 1 // want `an element of x is written`
		n.Release(set)
		n.Acquire(n.Set(x.Write()))
		x.Slice()[0] = 1
		return nil
	})
}

type either struct{ current *fagus.Guarded[int64] }

// The field may hold any of the two arrays.
func (e *either) choose(n *fagus.Node, second bool) {
	a := fagus.NewGuarded[int64](n, "a", 10)
	e.current = fagus.NewGuarded[int64](n, "b", 10)
	if second {
		e.current = a
	}
	n.Set(e.current.Write()).Do(func() { a.Slice()[0]++ })
}

// An array of the list may have the variable of the other half of a.
func listedHalf(n *fagus.Node, list []*fagus.Guarded[int64]) {
	a, _ := fagus.NewArray[int64](n, "a", 10)
	low, _ := n.Bind("low", a.Range(0, 5))
	n.Set(low.Read(), list[0].Write()).Do(func() { a.Slice()[5] = a.Slice()[0] })
}
