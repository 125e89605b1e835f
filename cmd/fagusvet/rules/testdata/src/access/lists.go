package access

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func lists(n *fagus.Node, names *parts.List[string]) error {
	set := n.Set(names.Write())
	if err := n.Acquire(set); err != nil {
		return err
	}
	if err := names.Append("a"); err != nil {
		return err
	}
	if err := n.Release(set); err != nil {
		return err
	}
	return names.Append("b") // want `access: an element of names is written, but no set is held: line 16 has released it`
}

func waits(n *fagus.Node, a *fagus.Guarded[int]) error {
	set := n.Set(a.Write())
	if err := n.AcquireWhen(set, func() bool { return a.Slice()[0] > 0 }); err != nil {
		return err
	}
	a.Slice()[0]--
	if err := n.Release(set); err != nil {
		return err
	}
	a.Slice()[0]++ // want `access: an element of a is written, but no set is held: line 28 has released it`
	return n.Err()
}
