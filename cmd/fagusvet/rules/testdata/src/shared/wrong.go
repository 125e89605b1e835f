package shared

import "github.com/fagus-dsm/fagus/fagus"

func direct(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	set := n.Set(fagus.Want(v, fagus.Shared))
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0] = 1 // want `shared: an element of a is written, but the set that line 7 acquires has nothing Exclusive that guards it`
	return n.Release(set)
}

func increments(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	set := n.Set(fagus.Want(v, fagus.Shared))
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0]++              // want `an element of a is written`
	a.Slice()[1] += 2           // want `an element of a is written`
	copy(a.Slice(), []int64{1}) // want `an element of a is written`
	clear(a.Slice()[2:4])       // want `an element of a is written`
	return n.Release(set)
}

func appended(n *fagus.Node, vars []*fagus.SyncVar, a *fagus.Array[int64]) error {
	var wants []fagus.Request
	for _, v := range vars {
		wants = append(wants, fagus.Want(v, fagus.Shared))
	}
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	for i := range a.Slice() {
		a.Slice()[i] = 1 // want `an element of a is written`
	}
	return n.Release(set)
}

func empty(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	set := n.Set()
	if n.Rank() == 0 {
		set = n.Set(fagus.Want(v, fagus.Shared))
	}
	if err := n.Acquire(set); err != nil {
		return err
	}
	fill(a.Slice()) // want `an element of a is written`
	return n.Release(set)
}

func fill(all []int64) {
	for i := range all {
		all[i] = 1
	}
}

func mixed(n *fagus.Node) error {
	in, err := fagus.NewArray[int64](n, "in", 10)
	if err != nil {
		return err
	}
	out, err := fagus.NewArray[int64](n, "out", 10)
	if err != nil {
		return err
	}
	guardIn, err := n.Bind("in", in.All())
	if err != nil {
		return err
	}
	guardOut, err := n.Bind("out", out.Range(0, 5), out.Range(5, 10))
	if err != nil {
		return err
	}
	set := n.Set(fagus.Want(guardIn, fagus.Shared), fagus.Want(guardOut, fagus.Exclusive).Writing(out.All()))
	if err := n.Acquire(set); err != nil {
		return err
	}
	out.Slice()[0] = in.Slice()[0]
	in.Slice()[0] = 0 // want `shared: an element of "in" is written, but the set that line 77 acquires`
	return n.Release(set)
}

type fields struct {
	n                 *fagus.Node
	in, out           *fagus.Array[int64]
	guardIn, guardOut *fagus.SyncVar
	set               *fagus.SyncSet
}

func (f *fields) declare() (err error) {
	if f.in, err = fagus.NewArray[int64](f.n, "in", 10); err != nil {
		return err
	}
	if f.out, err = fagus.NewArray[int64](f.n, "out", 10); err != nil {
		return err
	}
	if f.guardIn, err = f.n.Bind("in", f.in.All()); err != nil {
		return err
	}
	if f.guardOut, err = f.n.Bind("out", f.out.All()); err != nil {
		return err
	}
	f.set = f.n.Set(fagus.Want(f.guardIn, fagus.Shared), fagus.Want(f.guardOut, fagus.Exclusive))
	return nil
}

func (f *fields) step() error {
	if err := f.n.Acquire(f.set); err != nil {
		return err
	}
	f.out.Slice()[0] = f.in.Slice()[0]
	f.in.Slice()[0]++ // want `an element of "in" is written`
	return f.n.Release(f.set)
}

type cell struct{ X, Y int }

func structs(n *fagus.Node, v *fagus.SyncVar, cells *fagus.Array[cell]) error {
	set := n.Set(fagus.Want(v, fagus.Shared))
	if err := n.Acquire(set); err != nil {
		return err
	}
	c := &cells.Slice()[0]
	c.X = 1 // want `an element of cells is written`
	return n.Release(set)
}
