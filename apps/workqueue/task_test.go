package workqueue

import (
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// TestJump compares jump with do.
func TestJump(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		for steps := range 200 {
			work := task{uint64(steps) << 40, steps}
			x, err := work.do(n)
			if got := work.jump(); got != x || err != nil {
				t.Errorf("%d steps: jump returns %#x, do %#x, error %v", steps, got, x, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTasks(t *testing.T) {
	const count, mean = 100, 5000
	for _, skew := range []float64{0, 0.5, 1, 3} {
		sum, longest, shortest := 0, 0, 1<<62
		for _, work := range tasks(Config{Tasks: count, Work: mean * stepTime, Skew: skew, Seed: 7}) {
			sum += work.steps
			longest, shortest = max(longest, work.steps), min(shortest, work.steps)
		}
		if sum > count*mean || sum < count*mean-count {
			t.Errorf("skew %v: tasks have %d steps in all, want the mean times their number", skew, sum)
		}
		if even := longest == shortest; even != (skew == 0) {
			t.Errorf("skew %v: tasks have %d to %d steps, want equal ones only without skew", skew, shortest, longest)
		}
		if want := float64(longest) * zipf(count-1, skew); float64(shortest) < want-1 || float64(shortest) > want+1 {
			t.Errorf("skew %v: the longest has %d steps, the shortest %d: want %.1f", skew, longest, shortest, want)
		}
	}
}

// TestVerifyCountsWrongResults verifies when only two tasks have been done.
func TestVerifyCountsWrongResults(t *testing.T) {
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		cfg := Config{Tasks: 10, Batch: 3, Work: 100 * stepTime}
		q := queue{Config: cfg, node: n, tasks: tasks(cfg)}
		if err := q.declare(); err != nil {
			return err
		}
		if err := q.compute(q.results.Slice()[4:6], 4); err != nil {
			return err
		}
		if wrong := q.verify(); wrong != 8 || q.done != 2 {
			t.Errorf("%d results are wrong, %d tasks are done: want 8 and 2 of 10", wrong, q.done)
		}
		return n.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
