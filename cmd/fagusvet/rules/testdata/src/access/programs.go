package access

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	door "github.com/fagus-dsm/fagus/fagus/program"
)

func programs(x *fagus.Guarded[int64]) {
	door.Main(prints)
	door.App{Name: "b", Run: printsToo}.Main()
	cluster.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		fmt.Println(x.Slice()[0]) // want `an element of x is read, but no set is held`
		return n.Set(x.Write()).Do(func() {})
	})
}

// A program starts with nothing held, and without an Update.
var shown *fagus.Guarded[int64]

func prints(n *fagus.Node) error {
	fmt.Println(shown.Slice()[0]) // want `access: an element of a shared array is read, but no set is held`
	return n.Set(shown.Write()).Do(func() {})
}

func printsToo(n *fagus.Node) error {
	fmt.Println(shown.Slice()[0]) // want `access: an element of a shared array is read, but no set is held`
	return n.Set(shown.Write()).Do(func() {})
}

// This is not passed to anything: its caller may have called Update.
func helper(n *fagus.Node) error {
	fmt.Println(shown.Slice()[0])
	return n.Set(shown.Write()).Do(func() {})
}
