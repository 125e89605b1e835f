// Command app is a program of one's own, as examples of fagus launch name it. Its ranks add up
// their numbers.
package main

import (
	"flag"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster/gossip"
	"github.com/fagus-dsm/fagus/fagus/program"
)

func main() {
	factor := flag.Int("size", 1, "multiply the sum by `FACTOR`")
	program.Main(func(n *fagus.Node) error {
		sum, err := fagus.Reduce(n, n.Rank(), func(a, b int) int { return a + b })
		if err == nil && n.Rank() == 0 {
			fmt.Println("sum of", n.Nodes(), "ranks:", sum**factor)
		}
		return err
	}, gossip.Driver{})
}
