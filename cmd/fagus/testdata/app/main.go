// Command app is a program of one's own, as examples of fagus launch name it. Its ranks add up
// their numbers.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

func main() {
	_, err := cluster.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		sum, err := fagus.Reduce(n, n.Rank(), func(a, b int) int { return a + b })
		if err == nil && n.Rank() == 0 {
			fmt.Println("sum of", n.Nodes(), "ranks:", sum)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
}
