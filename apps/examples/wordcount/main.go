// Command wordcount counts the words of files, and prints the most frequent ones.
//
// Rank 0 reads the files, which the hosts of other ranks need not have. The ranks divide the lines.
// Each counts its own in a parts.Table, and Merge adds up the counts.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var most = flag.Int("most", 10, "print the `N` most frequent words")

func main() {
	program.App{About: "counts the words of files", Args: "FILE...", Run: count}.Main()
}

func count(n *fagus.Node) error {
	words, err := parts.NewTable(n, "words", strings.Compare, func(a, b int64) int64 { return a + b })
	if err != nil {
		return err
	}
	for _, name := range flag.Args() {
		var text []byte
		if n.Rank() == 0 {
			if text, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		if text, err = parts.Broadcast(n, text, 0); err != nil {
			return err
		}
		lines := strings.Split(string(text), "\n")
		lo, hi := parts.Block(len(lines), n.Nodes(), n.Rank())
		for _, line := range lines[lo:hi] {
			for _, word := range strings.Fields(line) {
				words.Add(strings.ToLower(word), 1)
			}
		}
		n.Spend(fagus.Time(hi-lo) * fagus.Microsecond) // on a simulated network
	}
	if err := words.Merge(); err != nil {
		return err
	}
	all, err := words.Collect(0)
	slices.SortStableFunc(all, func(a, b parts.Entry[string, int64]) int { return cmp.Compare(b.Value, a.Value) })
	for _, e := range all[:min(*most, len(all))] {
		fmt.Println(e.Value, e.Key)
	}
	return err
}
