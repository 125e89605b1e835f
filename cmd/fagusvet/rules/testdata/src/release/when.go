package release

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func sendInTenures(n *fagus.Node, a *fagus.Guarded[int], c *parts.Channel[int]) error {
	set := n.Set(a.Write())
	set.Do(func() {
		c.Send(a.Slice()[0]) // want `release: Send is called while the Do of line 10 holds its set`
	})
	set.DoWhen(func() bool { return a.Slice()[0] > 0 }, func() {
		c.Close() // want `release: Close is called while the DoWhen of line 13 holds its set`
	})
	if err := n.AcquireWhen(set, func() bool { return a.Slice()[0] > 0 }); err != nil { // want `release: the set acquired here is still held at the Receive of line 19`
		return err
	}
	v, _, err := c.Receive()
	if err != nil {
		return err
	}
	a.Slice()[0] = v
	return n.Release(set)
}

func leaves(n *fagus.Node, a *fagus.Guarded[int]) error {
	set := n.Set(a.Write())
	if err := n.AcquireWhen(set, func() bool { return a.Slice()[0] > 0 }); err != nil { // want `release: the set acquired here is still held at the return of line 33`
		return err
	}
	if a.Slice()[0] == 1 {
		return nil
	}
	return n.Release(set)
}

func passesOn(n *fagus.Node, a *fagus.Guarded[int], c *parts.Channel[int]) error {
	for v, err := range c.All() {
		if err != nil {
			return err
		}
		if err := n.Set(a.Write()).Do(func() { a.Slice()[0] += v }); err != nil {
			return err
		}
		if err := c.Send(v); err != nil {
			return err
		}
	}
	return c.Close()
}
