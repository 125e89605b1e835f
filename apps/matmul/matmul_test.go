package matmul_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

var syncs = []matmul.Sync{matmul.Row, matmul.Rank, matmul.Paper}

// run multiplies and returns the result of rank 0. It limits the time of the run.
func run(t testing.TB, net dimmnet.Network, nodes int, cfg matmul.Config) (matmul.Result, fagus.Report) {
	t.Helper()
	return runBy(t, fagus.Auto, net, nodes, cfg)
}

// runBy is like run, with the given kind of transfer.
func runBy(t testing.TB, by fagus.Transfer, net dimmnet.Network, nodes int, cfg matmul.Config) (matmul.Result, fagus.Report) {
	t.Helper()
	return runOn(t, fagus.Config{Nodes: nodes, Net: net, Transfer: by}, cfg)
}

// runOn is like run, with any configuration.
func runOn(t testing.TB, on fagus.Config, cfg matmul.Config) (matmul.Result, fagus.Report) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var result matmul.Result
	report, err := fagus.Run(ctx, on, func(n *fagus.Node) error {
		r, err := matmul.Run(n, cfg)
		if n.Rank() == 0 {
			result = r
		}
		return err
	})
	if err != nil {
		t.Fatalf("%d nodes, %v mode, %+v: Run: %v", on.Nodes, on.Mode, cfg, err)
	}
	if !result.Check.OK() {
		t.Fatalf("%d nodes, %v mode, %+v: verification fails: %+v", on.Nodes, on.Mode, cfg, result.Check)
	}
	return result, report
}

// sameBits describes the first difference between two matrices, or returns "".
func sameBits(a, b *matrix.Dense) string {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return fmt.Sprintf("%d x %d against %d x %d", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	for i := range a.Data {
		if math.Float64bits(a.Data[i]) != math.Float64bits(b.Data[i]) {
			return fmt.Sprintf("element %d is %v against %v", i, a.Data[i], b.Data[i])
		}
	}
	return ""
}

// TestSameBitsEverywhere multiplies in all sizes, on all node counts, networks and element types.
// C must equal the result without Fagus. Thorough tests have the largest sizes and counts.
func TestSameBitsEverywhere(t *testing.T) {
	longtest.Third(t)
	sizes, counts := []int{1, 2, 17, 128}, []int{1, 2, 3, 8, 16}
	switch {
	case longtest.Thorough():
		sizes, counts = []int{1, 2, 17, 512}, []int{1, 2, 3, 4, 8, 16, 64}
	case testing.Short():
		sizes, counts = []int{1, 17, 64}, []int{1, 3, 8}
	}
	for _, n := range sizes {
		for _, float32 := range []bool{false, true} {
			cfg := matmul.Square(n)
			cfg.Float32 = float32
			first, err := matmul.Plain(cfg, apptest.Timer)
			if err != nil || !first.Check.OK() || first.Time != 1 {
				t.Fatalf("n %d, float32 %v, without Fagus: error %v, check %+v: want a pass, and time 1", n, float32, err, first.Check)
			}
			for i, nodes := range counts {
				cfg.Sync = syncs[i%3]
				if !testing.Short() {
					simulated, _ := run(t, apptest.Simulated(t, sim.Config{}), nodes, cfg)
					if d := sameBits(simulated.C, first.C); d != "" {
						t.Errorf("n %d, float32 %v, %d simulated nodes: %s", n, float32, nodes, d)
					}
				}
				live, _ := run(t, inproc.New(inproc.Config{}), nodes, cfg)
				if d := sameBits(live.C, first.C); d != "" {
					t.Errorf("n %d, float32 %v, %d goroutines: %s", n, float32, nodes, d)
				}
			}
		}
	}
}

// TestSameBitsThreaded repeats TestSameBitsEverywhere in threaded mode, on goroutines.
func TestSameBitsThreaded(t *testing.T) {
	sizes := []int{1, 2, 17, 256}
	if testing.Short() {
		sizes = []int{1, 17, 64}
	}
	for _, n := range sizes {
		cfg := matmul.Square(n)
		first, _ := run(t, inproc.New(inproc.Config{}), 1, cfg)
		for nodes := 1; nodes <= 5; nodes++ {
			cfg.Sync = syncs[nodes%3]
			threaded, _ := runOn(t, fagus.Config{Nodes: nodes, Net: inproc.New(inproc.Config{}), Mode: fagus.Threaded}, cfg)
			if d := sameBits(threaded.C, first.C); d != "" {
				t.Errorf("n %d, %d nodes: %s", n, nodes, d)
			}
		}
	}
}

// TestRandomDelays multiplies with many seeds of random delays on 2 to 5 nodes.
func TestRandomDelays(t *testing.T) {
	seeds := longtest.Cases(uint64(1000), 250)
	if testing.Short() {
		seeds = 50
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		cfg := matmul.Config{M: 13, K: 11, N: 17, Seed: seed, Sync: syncs[seed%3]}
		want, _ := run(t, inproc.New(inproc.Config{}), 1, cfg)
		net := apptest.Simulated(t, sim.Config{Seed: seed, Limit: 10 * dimmnet.Second})
		got, _ := run(t, net, 2+int(seed%4), cfg)
		if d := sameBits(got.C, want.C); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

// TestMessageCounts compares runs with the formulas of docs/internals/messages.md.
func TestMessageCounts(t *testing.T) {
	const phases, slotBytes, blockBytes, element = 5, 4096, 464, 8
	up := func(a, b int) int { return (a + b - 1) / b }
	for _, size := range []struct{ n, nodes int }{{512, 2}, {512, 4}, {17, 3}, {100, 5}, {600, 2}, {5, 8}} {
		n, nodes := size.n, size.nodes
		moved := n - up(n, nodes) // rows that rank 0 does not compute
		users := min(nodes-1, moved)
		lists := phases * nodes * (nodes - 1)
		transfers := users + 2*moved
		rowBytes, allBytes := element*n, element*n*n
		slots := users*up(allBytes, slotBytes) + 2*moved*up(rowBytes, slotBytes)
		blocks := func(b int) int { // of one range
			return b/slotBytes*up(slotBytes, blockBytes) + up(b%slotBytes, blockBytes)
		}
		aotf := 4 * (lists + slots)
		botf := lists + users*blocks(allBytes) + 2*moved*blocks(rowBytes)

		_, report := runBy(t, fagus.Rings, apptest.Simulated(t, sim.Config{}), nodes, matmul.Square(n))
		var got struct{ lists, transfers, slots, aotf, botf int }
		for _, r := range report.Ranks {
			c := r.Messages()
			got.lists += int(r.Lists)
			got.transfers += int(r.Transfers)
			got.slots += int(r.Slots)
			got.aotf += int(c.Stores)
			got.botf += int(c.Writes)
		}
		want := struct{ lists, transfers, slots, aotf, botf int }{lists, transfers, slots, aotf, botf}
		if got != want {
			t.Errorf("n %d, %d nodes: %+v, want %+v by the formulas", n, nodes, got, want)
		}
	}
}

func TestWest0479(t *testing.T) {
	a, err := matrix.Read("../internal/matrix/testdata/west0479.mtx")
	if err != nil {
		t.Fatal(err)
	}
	cfg := matmul.Config{M: a.Rows, K: a.Cols, N: a.Cols, A: &a, B: &a}
	result, _ := run(t, apptest.Simulated(t, sim.Config{}), 3, cfg)
	var sum, squares float64
	for _, x := range result.C.Data {
		sum += x
		squares += x * x
	}
	// Known values for the product of west0479 with itself, to all their digits.
	if norm := math.Sqrt(squares); math.Abs(norm-317099515.752) > 0.001 || math.Abs(sum-(-13843252.324)) > 0.001 {
		t.Errorf("Frobenius norm %.3f, sum %.3f: want 317099515.752 and -13843252.324", norm, sum)
	}
}

func TestConfigIsValidated(t *testing.T) {
	m := &matrix.Dense{Rows: 2, Cols: 3, Data: make([]float64, 6)}
	for _, cfg := range []matmul.Config{
		{}, {M: 1, K: 1}, {M: -1, K: 1, N: 1}, {M: 2, K: 2, N: 2, A: m}, {M: 2, K: 3, N: 3, B: m}, {M: 1, K: 1, N: 1, Sync: "column"},
	} {
		if err := cfg.Validate(); err == nil {
			t.Errorf("%+v: Validate returns no error", cfg)
		}
	}
}

// BenchmarkRun runs a whole product in the simulator and measures real time.
func BenchmarkRun(b *testing.B) {
	for _, nodes := range []int{2, 16, 64} {
		b.Run(fmt.Sprintf("n=512/nodes=%d", nodes), func(b *testing.B) {
			net := apptest.Simulated(b, sim.Config{})
			for b.Loop() {
				run(b, net, nodes, matmul.Square(512))
			}
			b.ReportMetric(float64(net.Result().Events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}
