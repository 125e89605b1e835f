package parts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Rank 0 has read a file; all ranks get its lines, and say what they have found in their part.
func ExampleGather() {
	type found struct {
		Lines []int
		Word  string
	}
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		var lines []string
		if n.Rank() == 0 {
			lines = strings.Split("a tree\na beech is a tree\na fagus\na beech", "\n")
		}
		lines, err := parts.Broadcast(n, lines, 0)
		if err != nil {
			return err
		}
		mine := found{Word: "beech"}
		lo, hi := parts.Block(len(lines), n.Nodes(), n.Rank())
		for i := lo; i < hi; i++ {
			if strings.Contains(lines[i], mine.Word) {
				mine.Lines = append(mine.Lines, i)
			}
		}
		all, err := parts.Gather(n, mine)
		if n.Rank() == 0 {
			fmt.Println(all)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [{[1] beech} {[3] beech}]
}

// Each rank counts words in a map of its own. Reduce adds up the maps.
func ExampleReduce() {
	text := [][]string{{"a", "tree", "a"}, {"a", "beech"}}
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		counts := map[string]int{}
		for _, word := range text[n.Rank()] {
			counts[word]++
		}
		counts, err := parts.Reduce(n, counts, func(a, b map[string]int) map[string]int {
			for word, count := range b {
				a[word] += count
			}
			return a
		})
		if n.Rank() == 0 {
			fmt.Println(counts)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// map[a:3 beech:1 tree:1]
}

// A table groups records by a key. Here the value of a key is a slice.
func ExampleTable_values() {
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		groups, err := parts.NewTable(n, "groups", strings.Compare, func(a, b []string) []string { return append(a, b...) })
		if err != nil {
			return err
		}
		for _, word := range [][]string{{"ash", "beech", "alder"}, {"birch", "oak"}}[n.Rank()] {
			groups.Add(word[:1], []string{word})
		}
		if err := groups.Merge(); err != nil {
			return err
		}
		all, err := groups.Collect(0)
		for _, e := range all {
			fmt.Println(e.Key, e.Value)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// a [ash alder]
	// b [beech birch]
	// o [oak]
}

// Ranks write names into one list, in any order, and then read all of them.
func ExampleList() {
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		names, err := parts.NewList[string](n, "names", 1<<16)
		if err != nil {
			return err
		}
		if err := n.During(n.Set(names.Write().Unordered()), func() error {
			return names.Append(fmt.Sprintf("rank %d was here", n.Rank()))
		}); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
		return n.During(n.Set(names.Read()), func() error {
			var all []string
			for name, err := range names.All() {
				if err != nil {
					return err
				}
				all = append(all, name)
			}
			if slices.Sort(all); n.Rank() == 0 {
				fmt.Println(strings.Join(all, ", "))
			}
			return nil
		})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// rank 0 was here, rank 1 was here, rank 2 was here
}

// A map from numbers to strings: each block of numbers is a list with a variable of its own, so
// that ranks change different blocks at the same time.
func ExampleNewLists() {
	const size, each = 12, 3 // names, and names in a block
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		blocks, err := parts.NewLists[string](n, "names", size/each, 1<<10)
		if err != nil {
			return err
		}
		for b := n.Rank(); b < len(blocks); b += n.Nodes() {
			n.During(n.Set(blocks[b].Write()), func() error {
				return blocks[b].Append(make([]string, each)...)
			})
		}
		n.Fence()
		set := func(i int, name string) error {
			return n.During(n.Set(blocks[i/each].Write().Unordered()), func() error { return blocks[i/each].Set(i%each, name) })
		}
		if err := set(5-n.Rank(), fmt.Sprint("of rank ", n.Rank())); err != nil { // both in block 1
			return err
		}
		n.Fence()
		return n.During(n.Set(blocks[1].Read()), func() error {
			for i := 3; i < 6 && n.Rank() == 0; i++ {
				name, err := blocks[1].At(i % each)
				fmt.Printf("%d %q %v\n", i, name, err)
			}
			return nil
		})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 "" <nil>
	// 4 "of rank 1" <nil>
	// 5 "of rank 0" <nil>
}
