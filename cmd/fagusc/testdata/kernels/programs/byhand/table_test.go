package byhand

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

var update = flag.Bool("update", false, "write the table to docs/guide/fagusc.md")

// size is that of the inputs that are compared.
const size = 96

// cost is the traffic of a run and its virtual time in ns.
type cost struct{ messages, bytes, time float64 }

// measure runs a version of a program on simulated nodes.
func (p *program) measure(ctx context.Context, v version, nodes, steps int) (c cost, err error) {
	net, err := sim.New(sim.Config{})
	if err != nil {
		return c, err
	}
	report, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: net}, func(node *fagus.Node) error {
		_, _, err := p.run(v, node, size, steps)
		return err
	})
	if err != nil {
		return c, fmt.Errorf("%s, version %d, on %d nodes: %w", p.name, v, nodes, err)
	}
	for i := range report.Ranks {
		r := &report.Ranks[i]
		m := r.Messages()
		c.messages += float64(m.Stores + m.Writes + m.Pushes + m.Pulls)
		c.bytes += float64(m.Bytes)
		c.time = max(c.time, float64(r.Total())/float64(fagus.Nanosecond))
	}
	return c, nil
}

func (c cost) over(other cost) cost {
	return cost{c.messages / other.messages, c.bytes / other.bytes, c.time / other.time}
}

// within reports whether no cost is greater than most, or not a number.
func (c cost) within(most float64) bool {
	return c.messages <= most && c.bytes <= most && c.time <= most
}

// most is the greatest ratio that is accepted.
const most = 1.2

// TestTable compares whole runs of the programs with those by hand on simulated nodes, and checks
// the table in docs/guide/fagusc.md. Both charge 1 ns for each iteration of an innermost loop.
func TestTable(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	const file, head = "../../../../../../docs/guide/fagusc.md", "| program | input, steps | nodes |"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	fmt.Fprintf(&table, "%s messages | by hand | ratio | bytes | by hand | ratio | ms | by hand | ratio |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", head)
	for _, p := range programsOf() {
		for _, nodes := range []int{4, 16} {
			a, err := p.measure(t.Context(), made, nodes, p.steps)
			if err != nil {
				t.Fatal(err)
			}
			b, err := p.measure(t.Context(), hand, nodes, p.steps)
			if err != nil {
				t.Fatal(err)
			}
			ratio := a.over(b)
			fmt.Fprintf(&table, "| %s | %s, %d | %d | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f | %.1f | %.1f | %.2f |\n", p.name, p.input(size), p.steps, nodes,
				a.messages, b.messages, ratio.messages, a.bytes, b.bytes, ratio.bytes, a.time/1e6, b.time/1e6, ratio.time)
			if !ratio.within(most) {
				t.Errorf("%s on %d nodes: %+v by hand, %+v times as much by fagusc, want at most %v", p.name, nodes, b, ratio, most)
			}
		}
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
		t.Fatalf("%s: the table differs from this run; go test ./cmd/fagusc/testdata/kernels/programs/byhand -run TestTable -update writes\n%s", file, &table)
	}
	page = append(append(page[:start:start], table.Bytes()...), page[end:]...)
	if err := os.WriteFile(file, page, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestStep compares what a step costs, without the input, the output and the plans.
func TestStep(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	const few, many = 10, 20
	sizes := []int{4, 16}
	if !longtest.Enabled() {
		sizes = sizes[:1] // TestTable has both
	}
	for _, p := range programsOf() {
		for _, nodes := range sizes {
			var step [2]cost
			for _, v := range []version{made, hand} {
				a, err := p.measure(t.Context(), v, nodes, few)
				if err != nil {
					t.Fatal(err)
				}
				b, err := p.measure(t.Context(), v, nodes, many)
				if err != nil {
					t.Fatal(err)
				}
				step[v] = cost{(b.messages - a.messages) / (many - few), (b.bytes - a.bytes) / (many - few), (b.time - a.time) / (many - few)}
			}
			ratio := step[made].over(step[hand])
			t.Logf("%s, %d nodes: %+v, by hand %+v, ratio %+v", p.name, nodes, step[made], step[hand], ratio)
			if !ratio.within(most) {
				t.Errorf("%s on %d nodes: a step costs %+v times what it costs by hand, want at most %v", p.name, nodes, ratio, most)
			}
		}
	}
}

// BenchmarkLive runs both versions on 2 live ranks, alternately, and reports how much longer that
// of fagusc takes, planning included: in place, as goroutines do, and with copies, as processes
// do.
func BenchmarkLive(b *testing.B) {
	for _, p := range programsOf() {
		for _, placement := range []fagus.Placement{fagus.PlaceAuto, fagus.PlacePrivate} {
			b.Run(fmt.Sprintf("%s/%v", p.name, placement), func(b *testing.B) {
				var took [2]time.Duration
				for b.Loop() {
					for _, v := range []version{made, hand} {
						begin := time.Now()
						if _, err := fagus.Run(b.Context(), fagus.Config{Nodes: 2, Placement: placement}, func(node *fagus.Node) error {
							_, _, err := p.run(v, node, 4*size, p.steps)
							return err
						}); err != nil {
							b.Fatal(err)
						}
						took[v] += time.Since(begin)
					}
				}
				b.ReportMetric(float64(took[made])/float64(took[hand]), "ratio")
				b.ReportMetric(float64(took[made])/float64(b.N)/1e6, "ms/made")
			})
		}
	}
}
