package parts_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// This program counts the words of a text. Each rank counts the words of some lines.
func ExampleTable() {
	text := strings.Split("a tree is a plant\na fagus is a beech\na beech is a tree", "\n")
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		words, err := parts.NewTable(n, "words", strings.Compare, func(a, b int64) int64 { return a + b })
		if err != nil {
			return err
		}
		lo, hi := parts.Block(len(text), n.Nodes(), n.Rank())
		for _, word := range strings.Fields(strings.Join(text[lo:hi], " ")) {
			words.Add(word, 1)
		}
		if err := words.Merge(); err != nil {
			return err
		}
		all, err := words.Collect(0)
		for _, e := range all {
			fmt.Println(e.Key, e.Value)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// a 6
	// beech 2
	// fagus 1
	// is 3
	// plant 1
	// tree 2
}
