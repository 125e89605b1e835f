package shared

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func takes(n *fagus.Node, a *fagus.Guarded[int]) error {
	first, looks := 0, 0
	set := n.Set(a.Write())
	set.DoWhen(func() bool {
		looks++
		for i := range a.Slice() {
			if a.Slice()[i] > 0 {
				first = i
				a.Slice()[i]-- // want `shared: an element of a is written by the function ready of the DoWhen of line 11`
				return true
			}
		}
		return false
	}, func() { a.Slice()[first] = 0 })
	n.AcquireWhen(set, func() bool {
		a.Slice()[0]-- // want `shared: an element of a is written by the function ready of the AcquireWhen of line 22`
		return a.Slice()[0] > 0
	})
	a.Slice()[0] = looks
	return n.Release(set)
}

func lists(n *fagus.Node) error {
	names, err := parts.NewList[string](n, "names", 100)
	if err != nil {
		return err
	}
	if err := n.During(n.Set(names.Write()), func() error { return names.Append("a") }); err != nil {
		return err
	}
	return n.During(n.Set(names.Read()), func() error {
		return names.Append("b") // want `shared: an element of "names" is written, but the set`
	})
}
