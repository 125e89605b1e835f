package reproduce_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/apps/reproduce"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

type experiment = func(context.Context, reproduce.Config) (*reproduce.Table, error)

func measure(t *testing.T, run experiment, cfg reproduce.Config) *reproduce.Table {
	t.Helper()
	if testing.Short() && cfg.Rounds == 0 {
		cfg.Rounds = 300
	}
	table, err := run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestPaperFigures bounds the model's error in A to D: at most 5 % in the mean, 12 % at worst.
func TestPaperFigures(t *testing.T) {
	all := reproduce.Table{}
	for _, run := range []experiment{reproduce.AOTF, reproduce.Barrier, reproduce.Sum} {
		all.Rows = append(all.Rows, measure(t, run, reproduce.Config{}).Rows...)
	}
	sum := all.Summary(reproduce.Fitted)
	if sum.Mean > 0.05 || sum.Worst > 0.12 || sum.Rows != 4*9+2 { // and the latencies of two
		t.Errorf("mean |error| %.1f %%, worst %.1f %%, of %d figures", sum.Mean*100, sum.Worst*100, sum.Rows)
	}
	for _, r := range all.Rows {
		if r.Paper == nil || r.Left != "" && (r.Env == "design" || reproduce.Fitted(&r)) && r.Quantity != "outside_swif_ns" && r.Quantity != "nic_latency_ns" {
			t.Errorf("%s %s: the papers have no figure that counts", r.Env, r.Quantity)
		}
	}
	// 10 figures of each of 6 environments, 4 NIC latencies, 4 of the design column. Left out are 6
	// rows outside the SWIF, 2 latencies, and 4 of the P4 with MMX. 7 % is today's worst but one.
	bounded(t, &all, 6*10+4+4, 6+2+4, 0.07, map[string]float64{"D barrier_mmx_ns": 0.12})
	// What was predicted before it was known: 3.5 % in the mean, 6.7 % at worst. The model may not
	// get worse.
	sum = all.Predictions(reproduce.Blind)
	if math.Abs(sum.Mean-0.035) > 0.0005 || math.Abs(sum.Worst-0.067) > 0.0005 || sum.Rows != 10 {
		t.Errorf("predictions: mean |error| %.2f %%, worst %.2f %%, of %d figures", sum.Mean*100, sum.Worst*100, sum.Rows)
	}
	sum = all.Summary(func(r *reproduce.Row) bool { return reproduce.Blind(r) && r.Predicted != nil })
	if sum.Mean > 0.037 || sum.Worst > 0.07 || sum.Rows != 10 {
		t.Errorf("the same with this model: mean |error| %.2f %%, worst %.2f %%, of %d figures", sum.Mean*100, sum.Worst*100, sum.Rows)
	}
}

// bounded checks that no figure that counts is off by more than most, or than the bound that
// others has for its env and quantity. The table must have rows rows, of which left are left out.
func bounded(t *testing.T, table *reproduce.Table, rows, left int, most float64, others map[string]float64) {
	t.Helper()
	out := 0
	for _, r := range table.Rows {
		if r.Left != "" {
			out++
			continue
		}
		name := r.Env + " " + r.Quantity
		limit, ok := others[name]
		if !ok {
			limit = most
		}
		if r.Error == nil || math.Abs(*r.Error) > limit {
			t.Errorf("%s is %.3f, want a figure of the paper within %.1f %%: %+v", name, r.Model, limit*100, r)
		}
	}
	if len(table.Rows) != rows || out != left {
		t.Errorf("%s: %d rows, %d left out, want %d and %d", table.Name, len(table.Rows), out, rows, left)
	}
}

// find returns the model's figure.
func find(t *testing.T, table *reproduce.Table, env, quantity string) float64 {
	t.Helper()
	for _, r := range table.Rows {
		if r.Env == env && r.Quantity == quantity {
			return r.Model
		}
	}
	t.Fatalf("no %s of %s", quantity, env)
	return 0
}

func within(t *testing.T, what string, got, want, most float64) {
	t.Helper()
	if math.Abs(got/want-1) > most {
		t.Errorf("%s is %.1f, want %.1f within %.1f %%", what, got, want, most*100)
	}
}

// TestLoopIsItsStages compares the internal loop with the sum of its stages.
func TestLoopIsItsStages(t *testing.T) {
	table := measure(t, reproduce.AOTF, reproduce.Config{})
	for _, env := range []string{"A", "B", "C", "D", "E", "F"} {
		preset, err := presets.Load(env)
		if err != nil {
			t.Fatal(err)
		}
		sum := preset.Host.Program - preset.NIC.Outside.Time - preset.NIC.Own
		for _, s := range preset.Anatomy() {
			sum += s.Time
		}
		within(t, env+" internal loop", find(t, table, env, "internal_loop_ns"), float64(sum)/float64(dimmnet.Nanosecond), 0.01)
	}
}

func TestDesignColumn(t *testing.T) {
	table := measure(t, reproduce.AOTF, reproduce.Config{})
	if got := find(t, table, "design", "nic_latency_ns"); got != 192.5 {
		t.Errorf("NIC latency %.3f ns, want 192.5", got)
	}
	within(t, "remote write", find(t, table, "design", "remote_write_ns"), 270, 0.02)
	within(t, "sustained BOTF bandwidth of both sides", find(t, table, "design", "botf_both_ways_mb_s"), 2034, 0.05)
	within(t, "sustained BOTF bandwidth", find(t, table, "design", "botf_mb_s"), 1017, 0.05)
}

func TestSendRecv(t *testing.T) {
	table := measure(t, reproduce.SendRecv, reproduce.Config{})
	within(t, "round trip by the switch", find(t, table, "sendrecv", "rtt_ns"), 2910, 0.10)
	within(t, "round trip with an interrupt", find(t, table, "sendrecv", "interrupt_rtt_ns"), 11010, 0.10)
	bounded(t, table, 4, 0, 0.03, nil)
}

// TestColony checks that the means stay within 3 % of the thesis's, that its estimates follow from
// them, and that what is left out says why.
func TestColony(t *testing.T) {
	table := measure(t, reproduce.Colony, reproduce.Config{})
	bounded(t, table, 30, 6, 0.03, map[string]float64{
		"two/96 retries_measured_percent": 0.06, // the thesis computes 2 % more than it measured
	})
	const call = 4.28 - 0.96 // us
	read, write := find(t, table, "two/twice", "read_clk"), find(t, table, "two/twice", "write_clk")
	total := read/50 + call
	for _, e := range []struct {
		env, quantity string
		want          float64 // from the model's means
		paper         float64
	}{
		{"two/twice with a system call", "read_us", total, 7.44},
		{"two/twice with a system call", "call_percent", 100 * call / total, 45},
		{"two/twice block", "read_clk", read + 112, 318},
		{"two/twice block", "write_clk", write + 112, 297},
		{"loop/96 block", "read_clk", find(t, table, "loop/96", "read_clk") + 56, 187},
	} {
		within(t, e.env+" "+e.quantity, find(t, table, e.env, e.quantity), e.want, 1e-9)
		within(t, e.env+" "+e.quantity, find(t, table, e.env, e.quantity), e.paper, 0.02)
	}
	// The thesis's means in the loop, 133.5 and 131 clocks, take 1.9 % retries, not its 1 %.
	within(t, "retries in the loop", find(t, table, "loop/96 with errors", "retries_percent"), 100*(133.5/131-1), 0.1)
}

// TestCurve checks the shape of the paper's curve: BOTF is ahead to 464 bytes and dips after
// that; the methods are equal to about 800 bytes, and PUSH is ahead beyond.
func TestCurve(t *testing.T) {
	c, err := reproduce.Bandwidth(t.Context(), reproduce.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if c.BOTFAhead != 464 || c.PUSHAhead < 700 || c.PUSHAhead > 929 {
		t.Errorf("BOTF ahead to %d bytes, PUSH ahead from %d", c.BOTFAhead, c.PUSHAhead)
	}
	table := measure(t, reproduce.SendRecv, reproduce.Config{})
	table.AddCurve(c)
	bounded(t, table, 5, 0, 0.03, map[string]float64{"sendrecv level_up_to_bytes": 0.165})
	if got := find(t, table, "sendrecv", "level_up_to_bytes"); got >= float64(c.PUSHAhead) || got < float64(c.BOTFAhead) {
		t.Errorf("level up to %.0f bytes, BOTF ahead to %d, PUSH from %d", got, c.BOTFAhead, c.PUSHAhead)
	}
	var before reproduce.Point
	for _, p := range c.Points {
		dip := p.BOTF() < before.BOTF()
		if packet := p.Bytes%464 == 1; packet != dip && p.Bytes < 1500 {
			t.Errorf("BOTF from %.1f MB/s at %d bytes to %.1f at %d", before.BOTF(), before.Bytes, p.BOTF(), p.Bytes)
		}
		if p.PUSH() < before.PUSH() {
			t.Errorf("PUSH from %.1f MB/s at %d bytes to %.1f at %d", before.PUSH(), before.Bytes, p.PUSH(), p.Bytes)
		}
		before = p
	}
}

func TestMessages(t *testing.T) {
	list, err := reproduce.Messages(t.Context(), reproduce.Config{Rounds: 4})
	if err != nil {
		t.Fatal(err)
	}
	last := list[len(list)-1]
	if last.Bytes != 1<<20 || last.Rate() < 100 || last.Rate() > 500 {
		t.Errorf("%d bytes at %.1f MB/s: the link has 500", last.Bytes, last.Rate())
	}
}

// TestSeeds checks that a seed gives the same figures again, and another seed nearly the same.
func TestSeeds(t *testing.T) {
	table := func(seed uint64) *reproduce.Table {
		return measure(t, reproduce.Barrier, reproduce.Config{Rounds: 500, Seed: seed})
	}
	one, again, two := table(1), table(1), table(2)
	if !reflect.DeepEqual(one, again) {
		t.Errorf("seed 1 gave %+v, then %+v", one, again)
	}
	if reflect.DeepEqual(one, two) {
		t.Error("seeds 1 and 2 gave the same")
	}
	for i, r := range one.Rows {
		within(t, r.Env+" "+r.Quantity+" of seed 2", two.Rows[i].Model, r.Model, 0.02)
	}
}

// TestSweep checks that more nodes take longer, and that 4096 nodes have four levels of the tree
// and six of switches.
func TestSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("4096 coroutines are slow under the race detector")
	}
	points, err := reproduce.Sweep(t.Context(), reproduce.Config{Rounds: 3}, "fagus2", []int{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096})
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != 12 {
		t.Fatalf("%d points, want 12", len(points))
	}
	for i, p := range points[1:] {
		if p.Barrier <= points[i].Barrier {
			t.Errorf("%d nodes take %.0f ns, %d nodes %.0f", points[i].Nodes, points[i].Barrier, p.Nodes, p.Barrier)
		}
	}
	if last := points[len(points)-1]; last.Nodes != 4096 || last.Levels != 4 || last.Switches != 6 || last.PerLevel*4 != last.Barrier {
		t.Errorf("the last point is %+v", last)
	}
	for _, n := range []int{1, 1 << 17} {
		if _, err := reproduce.Sweep(t.Context(), reproduce.Config{}, "fagus2", []int{2, n}); err == nil {
			t.Errorf("%d nodes: no error", n)
		}
	}
	if points[0].OneSwitch != nil || points[2].OneSwitch == nil {
		t.Errorf("the formula for one switch is set without multicast, or missing with it: %+v, %+v", points[0], points[2])
	}
}

// TestMPI checks the paper's figures of DIMMnet-2, within 3 %.
func TestMPI(t *testing.T) {
	table, err := reproduce.MPI(t.Context(), reproduce.Config{Rounds: 500})
	if err != nil {
		t.Fatal(err)
	}
	bounded(t, table, 8, 3, 0.03, nil)
	if len(table.Rows) != 8 || table.Rows[4].Predicted == nil || table.Rows[4].Model < table.Rows[3].Model {
		t.Errorf("rows %+v", table.Rows)
	}
}

// TestStopped: an experiment that is stopped at any time returns the reason. Some are over before
// the last of these stops.
func TestStopped(t *testing.T) {
	for name, run := range map[string]experiment{"AOTF": reproduce.AOTF, "Barrier": reproduce.Barrier, "Sum": reproduce.Sum, "Colony": reproduce.Colony, "SendRecv": reproduce.SendRecv, "MPI": reproduce.MPI} {
		for runs := range 12 {
			ctx, cancel := context.WithCancel(t.Context())
			left := runs
			stop := func() {
				if left--; left <= 0 {
					cancel()
				}
			}
			stop()
			_, err := run(ctx, reproduce.Config{Rounds: 3, Progress: stop})
			if stopped := errors.Is(err, context.Canceled); !stopped && (err != nil || name == "AOTF" || runs < 2) {
				t.Errorf("%s, stopped after %d runs: %v", name, runs, err)
			}
		}
	}
}
