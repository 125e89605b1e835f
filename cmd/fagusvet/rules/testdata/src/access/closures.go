package access

import (
	"errors"
	"fmt"
	"sort"

	"example.com/other"
	"github.com/fagus-dsm/fagus/fagus"
)

// Variables that closures know are no less followed.
func capturedVariables(n *fagus.Node, v *fagus.SyncVar) error {
	a, err := fagus.NewArray[int64](n, "a", 10)
	if err != nil {
		return err
	}
	all := a.Slice()
	set := n.Set(fagus.Want(v, fagus.Exclusive))
	step := func() error {
		if err = n.Acquire(set); err != nil {
			return err
		}
		a.Slice()[0]++
		if err = n.Release(set); err != nil {
			return err
		}
		a.Slice()[1]++ // want `access: an element of "a" is written, but no set is held: line 25 has released it`
		all[0] = 1     // want `an element of "a" is written`
		return nil
	}
	if err = step(); err != nil {
		return err
	}
	if err = n.Acquire(set); err != nil {
		return err
	}
	if err = n.Release(set); err != nil {
		all[9] = 1
		return err
	}
	all[2] = 1 // want `an element of "a" is written`
	return nil
}

func sorts(d *data) error {
	if err := errors.Join(d.n.Acquire(d.set), d.n.Release(d.set)); err != nil {
		return err
	}
	all := d.a.Slice()
	sort.Slice(nil, func(i, j int) bool { return i < j })
	clear(all) // want `an element of a is written`
	return nil
}

func appends(d *data) ([]int64, error) {
	if err := d.n.Acquire(d.set); err != nil {
		return nil, err
	}
	list := append([]int64(nil), d.a.Slice()...)
	if err := d.n.Release(d.set); err != nil {
		return nil, err
	}
	return append(list, d.a.Slice()[1:]...), nil // want `an element of a is read`
}

// Another package does what it likes with a node, and with a slice.
func otherPackage(d *data, l other.Locker, w *other.Wrapped) error {
	if err := errors.Join(d.n.Acquire(d.set), d.n.Release(d.set)); err != nil {
		return err
	}
	fmt.Println(other.Sum(d.a.Slice()))
	if err := other.Begin(w); err != nil {
		return err
	}
	d.a.Slice()[0] = 1
	if err := errors.Join(d.n.Acquire(d.set), d.n.Release(d.set)); err != nil {
		return err
	}
	l.Lock()
	d.a.Slice()[0] = 1
	return d.n.Release(d.set)
}

type inner struct{ a *fagus.Array[int64] }

// The array is in a struct that is passed as a value.
func value(n *fagus.Node, set *fagus.SyncSet, in func() inner) error {
	i := in()
	if err := errors.Join(n.Acquire(set), n.Release(set)); err != nil {
		return err
	}
	i.a.Slice()[0] = 1 // want `an element of a is written`
	in().a.Slice()[0] = 1
	return nil
}
