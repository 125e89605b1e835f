package access

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// A slice is followed into the functions that capture it.
func capturedSlice(n *fagus.Node) error {
	x := fagus.NewGuarded[int64](n, "x", 10)
	y := fagus.NewGuarded[int64](n, "y", 10)
	from, to := x.Slice(), y.Slice()
	n.Set(x.Read(), y.Write()).Do(func() { copy(to, from) })
	n.Set(y.Write()).Do(func() {
		sum := int64(0)
		for _, v := range from { // want `access: an element of "x" is read, but the set that line 16 acquires`
			sum += v
		}
		to[0] = sum
		fmt.Println(from) // want `an element of "x" is read`
	})
	step := func() {
		set := n.Set(y.Write())
		n.Acquire(set)
		to[0]++
		n.Release(set)
		to[1]++ // want `access: an element of "y" is written, but no set is held: line 28 has released it`
	}
	step()
	return n.Err()
}

func runCaptured() { fagus.Run(context.Background(), fagus.Config{}, capturedSlice) }

// What a slice that is assigned twice holds is not known.
func capturedTwice(n *fagus.Node, x, y *fagus.Guarded[int64]) {
	list := x.Slice()
	n.Set(x.Write()).Do(func() { list[0]++ })
	list = make([]int64, 10)
	step := func() {
		n.Set(x.Write()).Do(func() {})
		list[0]++
	}
	step()
}
