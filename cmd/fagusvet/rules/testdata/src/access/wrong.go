package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

type data struct {
	n     *fagus.Node
	set   *fagus.SyncSet
	a     *fagus.Array[int64]
	pairs *fagus.Array[struct{ X, Y int }]
}

func writeAfterRelease(n *fagus.Node, set *fagus.SyncSet, a *fagus.Array[int64]) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	a.Slice()[0] = 1
	if err := n.Release(set); err != nil {
		return err
	}
	a.Slice()[1] = 2 // want `access: an element of a is written, but no set is held: line 23 has released it`
	return nil
}

func writeBeforeAcquire(d *data) error {
	for i := range d.a.Slice() {
		d.a.Slice()[i] = 0 // want `access: an element of a is written, but no set is held before the Acquire of line 34`
	}
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	return d.n.Release(d.set)
}

func readAfterRelease(d *data) (int64, error) {
	if err := d.n.Acquire(d.set); err != nil {
		return 0, err
	}
	d.a.Slice()[0]++
	if err := d.n.Release(d.set); err != nil {
		return 0, err
	}
	if err := d.n.Barrier(); err != nil { // brings nothing
		return 0, err
	}
	return d.a.Slice()[0], nil // want `access: an element of a is read, but no set is held`
}

func incrementAfterRelease(d *data) error {
	all := d.a.Slice()
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	all[0]++
	if err := d.n.Release(d.set); err != nil {
		return err
	}
	all[1]++ // want `an element of a is written`
	return nil
}

func throughPointer(d *data) error {
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	p := &d.pairs.Slice()[3]
	p.X = 1
	if err := d.n.Release(d.set); err != nil {
		return err
	}
	p.Y = 2 // want `an element of pairs is written`
	return nil
}

func bothWaysReleased(d *data, early bool) error {
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	if early {
		if err := d.n.Release(d.set); err != nil {
			return err
		}
	} else {
		d.a.Slice()[0] = 1
		if err := d.n.Release(d.set); err != nil {
			return err
		}
	}
	copy(d.a.Slice()[2:], []int64{1, 2}) // want `an element of a is written`
	return nil
}

func passedOn(d *data) error {
	if err := d.n.Acquire(d.set); err != nil {
		return err
	}
	fill(d.a.Slice(), 1)
	if err := d.n.Release(d.set); err != nil {
		return err
	}
	fill(d.a.Slice()[3:], 2)              // want `an element of a is written`
	fmt.Println(slices.Max(d.a.Slice()))  // want `an element of a is read`
	fmt.Println("all of it", d.a.Slice()) // want `an element of a is read`
	return nil
}

func fill(to []int64, x int64) {
	for i := range to {
		to[i] = x
	}
}

func program() error {
	_, err := fagus.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		counts, err := fagus.NewArray[int64](n, "counts", 10)
		if err != nil {
			return err
		}
		guard, err := n.Bind("guard", counts.All())
		if err != nil {
			return err
		}
		counts.Slice()[0] = 1 // want `access: an element of "counts" is written, but no set is held`
		set := n.Set(fagus.Want(guard, fagus.Exclusive))
		for range 10 {
			fmt.Println(counts.Slice()[1]) // want `access: an element of "counts" is read, but no set is held`
			if err := n.Acquire(set); err != nil {
				return err
			}
			if err := n.Release(set); err != nil {
				return err
			}
		}
		for _, x := range counts.Slice() { // want `an element of "counts" is read`
			fmt.Println(x)
		}
		return nil
	})
	return err
}
