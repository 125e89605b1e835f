package access

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// x and y are different arrays, although both are in the field Array of a Guarded: the function uses
// only x under the set.
func twoGuarded(n *fagus.Node, set *fagus.SyncSet, x, y *fagus.Guarded[int64]) {
	n.Acquire(set)
	x.Slice()[0]++
	n.Release(set)
	fmt.Println(y.Slice()[0])
	fmt.Println(x.Slice()[0]) // want `access: an element of x is read, but no set is held: line 15 has released it`
	y.Slice()[0] = 0          // want `an element of y is written`
}

func guardedProgram() {
	fagus.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		x := fagus.NewGuarded[int64](n, "x", 10)
		y := fagus.NewGuarded[int64](n, "y", 10)
		x.Slice()[0] = 1 // want `access: an element of "x" is written, but no set is held before the Acquire of line 27`
		set := n.Set(x.Write(), y.Read())
		n.Acquire(set)
		x.Slice()[1] = y.Slice()[0]
		n.Release(set)
		fmt.Println(y.Slice()[1]) // want `access: an element of "y" is read`
		n.Update()
		fmt.Println(x.Slice(), y.Copy())
		return n.Err()
	})
}

func copied(n *fagus.Node, set *fagus.SyncSet, x *fagus.Guarded[int64]) []int64 {
	n.Acquire(set)
	first := x.Copy()
	n.Release(set)
	return append(first, x.Copy()...) // want `an element of x is read`
}
