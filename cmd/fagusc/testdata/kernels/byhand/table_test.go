package byhand_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

var update = flag.Bool("update", false, "write the table to docs/guide/fagusc.md")

// TestTable compares the generated kernels with the hand-written ones on 4 simulated nodes, and
// checks the table in docs/guide/fagusc.md. The generated code charges 1 ns per iteration of an innermost
// loop; the hand-written code charges nothing.
func TestTable(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	const file, head = "../../../../../docs/guide/fagusc.md", "| kernel | size | messages |"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := writeTable(t.Context(), &table, 4); err != nil {
		t.Fatal(err)
	}
	start := bytes.Index(page, []byte(head))
	if start < 0 {
		t.Fatalf("%s: no table that starts with %s", file, head)
	}
	end := start + bytes.Index(page[start:], []byte("\n\n")) + 1
	if bytes.Equal(page[start:end], table.Bytes()) {
		return
	}
	if !*update {
		t.Fatalf("%s: the table differs from this run; go test ./cmd/fagusc/testdata/kernels/byhand -run TestTable -update writes\n%s", file, &table)
	}
	page = append(append(page[:start:start], table.Bytes()...), page[end:]...)
	if err := os.WriteFile(file, page, 0o666); err != nil {
		t.Fatal(err)
	}
}

// cost is the simulated time and the traffic of a run.
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

func writeTable(ctx context.Context, out io.Writer, nodes int) error {
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
