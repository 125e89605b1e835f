// Command index prints where each word of files occurs: the file, and the lines in it.
//
//	go run . --nodes 4 main.go README.md
//
// Rank 0 reads the files, which the hosts of other ranks need not have. The ranks divide the lines.
// Each adds the places of its words to a parts.Table, whose keys are strings, and whose values are
// slices of structs. Merge moves the places of a word to the rank that has the word.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

func main() {
	app := program.App{About: "prints where words occur", Args: "[FILE...]", Run: run}
	app.Examples = []string{"index  the words of README.md", "index --nodes 4 a.txt b.txt"}
	app.Main()
}

// run runs once as every rank.
func run(n *fagus.Node) error {
	files := flag.Args()
	if len(files) == 0 {
		files = []string{"README.md"}
	}
	words, err := index(n, files)
	for _, e := range words {
		fmt.Print(e.Key)
		for _, p := range e.Value {
			fmt.Printf(" %s:%d", p.File, p.Line)
		}
		fmt.Println()
	}
	return err
}

// place is where a word occurs.
type place struct {
	File string
	Line int
}

// index returns the words of files with their places, in order, at rank 0.
func index(n *fagus.Node, files []string) ([]parts.Entry[string, []place], error) {
	join := func(a, b []place) []place { return append(a, b...) }
	words, err := parts.NewTable(n, "words", strings.Compare, join)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		var text []byte
		if n.Rank() == 0 {
			if text, err = os.ReadFile(name); err != nil {
				return nil, err
			}
		}
		if text, err = parts.Broadcast(n, text, 0); err != nil {
			return nil, err
		}
		lines := strings.Split(string(text), "\n")
		lo, hi := parts.Block(len(lines), n.Nodes(), n.Rank())
		for i := lo; i < hi; i++ {
			for _, word := range split(lines[i]) {
				words.Add(word, []place{{name, i + 1}})
			}
		}
		n.Spend(fagus.Time(hi-lo) * fagus.Microsecond) // on a simulated network
		if err := words.Merge(); err != nil {          // values are joined in the order of ranks
			return nil, err
		}
	}
	return words.Collect(0)
}

// split returns the words of a line.
func split(line string) []string {
	return strings.FieldsFunc(strings.ToLower(line), func(c rune) bool { return !unicode.IsLetter(c) })
}
