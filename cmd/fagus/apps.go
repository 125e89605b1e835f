package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"
)

// program is what fagus apps says of one.
type program struct {
	Name     string `json:"name"`
	What     string `json:"what"`
	Verified string `json:"verified_by"`
}

func programs() []program {
	list := []program{
		{"matmul", "C = A x B, cyclic rows", "Freivalds' check, or gonum for small ones"},
		{"many", "many small sync variables, from rank to rank", "closed form"},
		{"workqueue", "tasks of unequal length from a shared queue", "jumping ahead in the random sequence"},
		{"tsp", "a shortest round trip by branch and bound", "Held and Karp's dynamic programming, TSPLIB"},
		{"radix", "radix sort of keys, from every rank to every other", "order, number, sum and hash of the keys"},
		{"lu", "LU factorisation with partial pivoting, panels cyclic", "the backward error, with the matrix made anew"},
		{"water", "forces between all pairs of water molecules, added in turn", "momentum exactly, energy, and all pairs by one rank alone"},
		{"barnes", "stars that attract each other, by Barnes and Hut's tree", "direct sums, Plummer's closed forms, momentum"},
		{"kmeans", "clusters of points by Lloyd's iterations", "nearest centres and means, by one rank alone"},
		{"pagerank", "ranks of the pages of a graph", "residual along the links, sum of the ranks"},
		{"conjugate", "A x = b by conjugate gradients, of a Matrix Market file or Poisson's", "the true residual, and a known solution"},
		{"mandelbrot", "a picture of the Mandelbrot set, rows from a queue", "random rows by the plain loop"},
	}
	for _, b := range benchmarks() {
		list = append(list, program{b.name, b.what, "the values of NPB, classes S, W and A"})
	}
	for _, k := range kernels() {
		list = append(list, program{k.name, k.what, "closed form"})
	}
	return append(list, program{"sor", "red-black successive over-relaxation; neighbours' rows move", "a harmonic polynomial"})
}

func appsCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:            "apps",
		Usage:           "list the programs that fagus run has",
		UsageText:       "fagus apps\nfagus apps --json",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags:           []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON document"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("unexpected argument %q", c.Args().First())
			}
			if c.Bool("json") {
				return printJSON(c.App.Writer, programs())
			}
			t := newTable()
			t.AppendHeader(table.Row{"fagus run", "is", "verified by"})
			for _, p := range programs() {
				t.AppendRow(table.Row{p.Name, p.What, p.Verified})
			}
			_, err := fmt.Fprintln(c.App.Writer, t.Render())
			return err
		},
	}
}
