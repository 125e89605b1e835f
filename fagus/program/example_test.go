package program_test

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program"
)

// A program with a flag of its own. Its main function would call Main in the place of Execute.
func ExampleApp() {
	rows := flag.Int("rows", 10, "rows of the grid")
	grid := func(n *fagus.Node) error {
		if n.Rank() == 0 {
			fmt.Println(*rows, "rows on", n.Nodes(), "nodes")
		}
		return nil
	}
	app := program.App{Name: "grid", About: "makes a grid", Run: grid}
	app.Execute(context.Background(), []string{"--net", "dimmnet1", "--nodes", "3", "--rows", "20", "--quiet"}, os.Stdout, os.Stderr)
	// Output:
	// 20 rows on 3 nodes
}
