package shared

import (
	"context"

	"github.com/fagus-dsm/fagus/fagus"
)

// The set, the variable and the array are those of the enclosing function.
func captured() error {
	_, err := fagus.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
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
		guardOut, err := n.Bind("out", out.All())
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(guardIn, fagus.Shared), fagus.Want(guardOut, fagus.Exclusive))
		step := func() error {
			if err := n.Acquire(set); err != nil {
				return err
			}
			out.Slice()[0]++
			in.Slice()[0]++ // want `shared: an element of "in" is written`
			return n.Release(set)
		}
		return step()
	})
	return err
}

// The set is another one when the closure is called.
func reassigned(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	set := n.Set(fagus.Want(v, fagus.Shared))
	step := func() error {
		if err := n.Acquire(set); err != nil {
			return err
		}
		a.Slice()[0]++
		return n.Release(set)
	}
	set = n.Set(fagus.Want(v, fagus.Exclusive))
	return step()
}

// The closure itself assigns it.
func reassignedInside(n *fagus.Node, v *fagus.SyncVar, a *fagus.Array[int64]) error {
	set := n.Set(fagus.Want(v, fagus.Shared))
	choose := func() { set = n.Set(fagus.Want(v, fagus.Exclusive)) }
	choose()
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0]++
	return n.Release(set)
}

type Open struct {
	n   *fagus.Node
	Set *fagus.SyncSet // others may assign it
	set *fagus.SyncSet
}

func (o *Open) declare(v *fagus.SyncVar) {
	o.Set = o.n.Set(fagus.Want(v, fagus.Shared))
	o.set = o.n.Set(fagus.Want(v, fagus.Shared))
	choose(&o.set, o.n.Set(fagus.Want(v, fagus.Exclusive)))
}

func choose(to **fagus.SyncSet, set *fagus.SyncSet) { *to = set }

func (o *Open) write(a *fagus.Array[int64]) error {
	if err := o.n.Acquire(o.Set); err != nil {
		return err
	}
	a.Slice()[0]++
	if err := o.n.Release(o.Set); err != nil {
		return err
	}
	if err := o.n.Acquire(o.set); err != nil {
		return err
	}
	a.Slice()[0]++
	return o.n.Release(o.set)
}
