package colony

import (
	"context"
	"math"
	"testing"
)

// TestReproduce compares the model's figures with those of the thesis.
func TestReproduce(t *testing.T) {
	steps, left := 0, 0
	list, err := Reproduce(t.Context(), 20_000, 1, func() { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.Paper == nil {
			t.Errorf("%s %s: no figure of the thesis", f.Env, f.Quantity)
			continue
		}
		if f.Left != "" {
			left++
		}
		off := f.Model / *f.Paper - 1
		t.Logf("%-26s %-16s %8.2f %8.2f %+.1f %%", f.Env, f.Quantity, *f.Paper, f.Model, 100*off)
		limit := 0.03
		if f.Quantity == "retries_measured_percent" {
			limit = 0.06 // the thesis computes 2 % more than it measured
		}
		if f.Env == "loop/96 with errors" && f.Quantity == "retries_percent" {
			// 0.01 contradicts the thesis's means (see loopRetries), with which the model agrees.
			off, limit = f.Model/(100*(133.5/131-1))-1, 0.1
		}
		if math.Abs(off) > limit {
			t.Errorf("%s %s: %.2f, want %.2f", f.Env, f.Quantity, f.Model, *f.Paper)
		}
	}
	if steps != ReproduceSteps || len(list) != 30 {
		t.Errorf("%d steps, %d figures", steps, len(list))
	}
	if left != 6 {
		t.Errorf("%d figures are left out, want 6: retries in the loop, a total and a share, and 3 blocks", left)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Reproduce(ended, 0, 0, nil); err == nil {
		t.Error("Reproduce ignores that its context has ended")
	}
}

// TestEstimates checks what the estimates add to the model's means: the thesis's 112 and 56 clocks
// for a block, and its 3.32 us for a call.
func TestEstimates(t *testing.T) {
	if one, both := Burst.blockClocks(), Twice.blockClocks(); one != 56 || both != 112 {
		t.Errorf("a block takes %d clocks more, or %d if parts are sent twice, want 56 and 112", one, both)
	}
	// The thesis's own figures give its estimates.
	var thesis []Figure
	for _, f := range []struct {
		env, quantity string
		mean          float64
	}{
		{"program", "read_us", 0.96}, {"program with a system call", "read_us", 4.28},
		{"two/twice", "read_clk", 206}, {"two/twice", "write_clk", 185}, {"loop/96", "read_clk", 131},
	} {
		thesis = append(thesis, figure(f.env, f.quantity, f.mean, 0))
	}
	for _, f := range append(callFigures(thesis), blockFigures(thesis)...) {
		if math.Abs(f.Model / *f.Paper - 1) > 0.01 {
			t.Errorf("%s %s is %.2f, want %.2f", f.Env, f.Quantity, f.Model, *f.Paper)
		}
	}
}
