// Command compare prints what the kernels that fagusc has made parallel cost beside those that are written by hand, on a simulated network: the table of
// docs/fagusc.md. Computing takes 1 ns an iteration of an innermost loop, which is charged by what is made only.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func main() {
	app := &cli.App{
		Name: "compare", Usage: "what fagusc makes, against what is written by hand", HideHelpCommand: true,
		UsageText: "go run ./cmd/fagusc/kernels/compare [--nodes 4]",
		Flags:     []cli.Flag{&cli.IntFlag{Name: "nodes", Value: 4, Usage: "on `N` simulated nodes"}},
		Action: func(c *cli.Context) error {
			if c.Int("nodes") < 2 || c.Int("nodes") > 64 {
				return fmt.Errorf("--nodes %d: want 2 to 64", c.Int("nodes"))
			}
			return run(c.Context, os.Stdout, c.Int("nodes"))
		},
	}
	if err := app.Run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// cost is what a run took.
type cost struct {
	time            fagus.Time
	messages, bytes uint64
}

func measure(ctx context.Context, nodes int, program func(n *fagus.Node) error) (c cost, err error) {
	net, err := sim.New(sim.Config{})
	if err != nil {
		return c, err
	}
	report, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: net}, program)
	if err != nil {
		return c, err
	}
	for i := range report.Ranks {
		r := &report.Ranks[i]
		m := r.Messages()
		c.messages += m.Stores + m.Writes + m.Pushes + m.Pulls
		c.bytes += m.Bytes
		c.time = max(c.time, r.Total())
	}
	return c, nil
}

func run(ctx context.Context, out io.Writer, nodes int) error {
	fmt.Fprintf(out, "| kernel | size | messages | by hand | ratio | bytes | by hand | ratio | speed-up |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, p := range problems() {
		alone, err := measure(ctx, 1, p.made)
		if err != nil {
			return fmt.Errorf("%s on 1 node: %w", p.name, err)
		}
		made, err := measure(ctx, nodes, p.made)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		hand, err := measure(ctx, nodes, p.hand)
		if err != nil {
			return fmt.Errorf("%s by hand: %w", p.name, err)
		}
		fmt.Fprintf(out, "| %s | %s | %d | %d | %.2f | %d | %d | %.2f | %.2f |\n", p.name, p.size, made.messages, hand.messages,
			float64(made.messages)/float64(hand.messages), made.bytes, hand.bytes, float64(made.bytes)/float64(hand.bytes), float64(alone.time)/float64(made.time))
	}
	return nil
}
