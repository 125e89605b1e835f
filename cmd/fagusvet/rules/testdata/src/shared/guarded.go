package shared

import "github.com/fagus-dsm/fagus/fagus"

func guarded(n *fagus.Node) {
	in := fagus.NewGuarded[int64](n, "in", 10)
	out := fagus.NewGuarded[int64](n, "out", 10)
	set := n.Set(in.Read(), out.Write())
	n.Acquire(set)
	out.Slice()[0] = in.Slice()[0]
	in.Slice()[0] = 0 // want `shared: an element of "in" is written, but the set that line 9 acquires has nothing Exclusive that guards it`
	n.Release(set)
}

// The variable of a Guarded is a field of it.
func variableOfGuarded(n *fagus.Node) {
	in := fagus.NewGuarded[int64](n, "in", 10)
	out := fagus.NewGuarded[int64](n, "out", 10)
	set := n.Set(fagus.Want(in.Var, fagus.Shared), out.Var.Write().Writing(out.Range(0, 5)))
	n.Acquire(set)
	clear(out.Slice())
	clear(in.Slice()) // want `an element of "in" is written`
	n.Release(set)
}

func guardedParameters(n *fagus.Node, in, out *fagus.Guarded[int64]) {
	set := n.Set(in.Read().Unordered(), out.Write().Reporting())
	n.Acquire(set)
	out.Slice()[0] = 1
	in.Slice()[0] = 1 // want `an element of in is written`
	n.Release(set)
}

// What Reporting and Unordered return is as shared as before.
func passedOn(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) {
	read := v.Read()
	set := n.Set(read.Unordered())
	n.Acquire(set)
	a.Slice()[0] = 1 // want `an element of a is written`
	n.Release(set)
	set = n.Set(v.Write().Unordered().Reporting())
	n.Acquire(set)
	a.Slice()[0] = 1
	n.Release(set)
}

type world struct {
	n        *fagus.Node
	now      *fagus.Guarded[int64]
	next     *fagus.Guarded[float64]
	byValue  fagus.Guarded[int64]
	toStep   *fagus.SyncSet
	toCount  *fagus.SyncSet
	toRemove *fagus.SyncSet
}

func (w *world) declare(length int) {
	w.now = fagus.NewGuarded[int64](w.n, "now", length)
	w.next = fagus.NewGuarded[float64](w.n, "next", length)
	w.byValue = *fagus.NewGuarded[int64](w.n, "value", length)
	w.toStep = w.n.Set(w.now.Read(), w.next.Write())
	w.toCount = w.n.Set(w.byValue.Read(), w.next.Write())
	w.toRemove = w.n.Set(w.byValue.Write(), w.next.Read())
}

func (w *world) step() {
	w.n.Acquire(w.toStep)
	w.next.Slice()[0] = float64(w.now.Slice()[0])
	w.now.Slice()[0]++ // want `an element of "now" is written`
	w.n.Release(w.toStep)
	w.n.Acquire(w.toCount)
	w.byValue.Slice()[0]++ // want `an element of byValue is written`
	w.n.Release(w.toCount)
	w.n.Acquire(w.toRemove)
	w.byValue.Slice()[0]++
	w.next.Slice()[0]++ // want `an element of "next" is written`
	w.n.Release(w.toRemove)
}

// A struct may embed a Guarded.
type counters struct{ *fagus.Guarded[int64] }

func (c counters) count(n *fagus.Node) {
	read, write := n.Set(c.Read()), n.Set(c.Write())
	n.Acquire(read)
	c.Slice()[0]++ // want `an element of Guarded is written`
	n.Release(read)
	n.Acquire(write)
	c.Slice()[0]++
	n.Release(write)
}

// Which array w guards is not known.
func guardedElsewhere(n *fagus.Node, w *fagus.SyncVar) {
	in := fagus.NewGuarded[int64](n, "in", 10)
	set := n.Set(in.Read(), w.Write())
	n.Acquire(set)
	in.Slice()[0] = 1
	n.Release(set)
}

// Arrays in a slice are not told apart.
func guardedList(n *fagus.Node, list []*fagus.Guarded[int64]) {
	set := n.Set(list[0].Read(), list[1].Write())
	n.Acquire(set)
	list[1].Slice()[0] = 1
	n.Release(set)
}

// A Guarded that the program composes has an array and a variable from elsewhere.
func composed(n *fagus.Node, a *fagus.Array[int64], v, w *fagus.SyncVar) {
	g := &fagus.Guarded[int64]{Array: a, Var: v}
	set := n.Set(g.Write(), w.Read())
	n.Acquire(set)
	g.Slice()[0] = 1
	a.Slice()[0] = 1
	n.Release(set)
}
