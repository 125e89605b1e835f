package fagus_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestMeasure checks that Stats.Measured has the times of the measured sections, and no others.
func TestMeasure(t *testing.T) {
	net, err := sim.New(sim.Config{Env: "fagus2"})
	if err != nil {
		t.Fatal(err)
	}
	report, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2, Net: net}, func(n *fagus.Node) error {
		var took fagus.Time
		n.Spend(7 * fagus.Second)
		for range 2 {
			n.Spend(11 * fagus.Second)
			one, err := n.Measure(func() error {
				n.Spend(fagus.Time(1+2*n.Rank()) * fagus.Second)
				return n.Barrier()
			})
			if err != nil {
				return err
			}
			took += one
		}
		n.Spend(fagus.Time(13*(1+n.Rank())) * fagus.Second)
		if err := n.Barrier(); err != nil { // rank 0 waits 13 s, which does not count
			return err
		}
		s := n.Stats()
		sum := fagus.Time(0)
		for _, part := range s.Measured {
			sum += part
		}
		if sum != took {
			t.Errorf("rank %d: Measured adds up to %v, Measure returned %v", n.Rank(), sum, took)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for r, s := range report.Ranks {
		if s.Before != 18*fagus.Second {
			t.Errorf("rank %d worked for %v before the first section, want 18 s", r, s.Before)
		}
		if compute, want := s.Measured[fagus.PartCompute], fagus.Time(2*(1+2*r))*fagus.Second; compute != want {
			t.Errorf("rank %d computed for %v in the sections, want %v", r, compute, want)
		}
	}
	if late := report.Late; len(late) == 0 || late[0].Rank != 0 || late[0].For != 1 || late[0].Time > 4*fagus.Second+fagus.Millisecond {
		t.Errorf("the waits are %v, want rank 0 to wait 4 s for rank 1", late)
	}
	// Rank 0 waits 2 s for rank 1 in each section.
	if waited := report.Ranks[0].Measured[fagus.PartBarrier]; waited < 4*fagus.Second || waited > 4*fagus.Second+fagus.Millisecond {
		t.Errorf("rank 0 waited for %v in the sections, want 4 s and a little", waited)
	}
}

// TestBeforeAndAfter: without sections, the time before the first call and after the last one is
// not called compute.
func TestBeforeAndAfter(t *testing.T) {
	for _, c := range []struct {
		what          string
		program       func(*fagus.Node) error
		before, after fagus.Time
	}{
		{"no call", func(n *fagus.Node) error { n.Spend(9 * fagus.Second); return nil }, 0, 0},
		{"barriers", func(n *fagus.Node) error {
			n.Spend(2 * fagus.Second)
			err := steps(n, 3, func() { n.Spend(fagus.Second) })
			n.Spend(3 * fagus.Second)
			return err
		}, 3 * fagus.Second, 3 * fagus.Second},
		{"a tenure", func(n *fagus.Node) error {
			n.Spend(2 * fagus.Second)
			_, v, err := guarded[int64](n, 1)
			if err != nil {
				return err
			}
			if err := tenure(n, n.Set(fagus.Want(v, fagus.Shared)), func() { n.Spend(7 * fagus.Second) }); err != nil {
				return err
			}
			n.Spend(3 * fagus.Second)
			return nil
		}, 2 * fagus.Second, 3 * fagus.Second},
	} {
		for _, mode := range modes {
			r := succeed(t, fagus.Config{Nodes: 2, Mode: mode, Net: newSim(t, sim.Config{Env: "fagus2"})}, c.program)
			s, text := r.Ranks[1], r.String()
			near := func(got, want fagus.Time) bool { return got >= want && got < want+10*fagus.Millisecond }
			if !near(s.Before, c.before) || !near(s.After, c.after) {
				t.Errorf("%s, %v: %v before and %v after, want %v and %v", c.what, mode, s.Before, s.After, c.before, c.after)
			}
			sum := r.Summary()
			if !near(fagus.Time(sum.BeforeNs)*fagus.Nanosecond, c.before) || !near(fagus.Time(sum.AfterNs)*fagus.Nanosecond, c.after) {
				t.Errorf("%s, %v: the document has %d ns before and %d ns after", c.what, mode, sum.BeforeNs, sum.AfterNs)
			}
			if named := strings.Contains(text, "(input?), after the last call: ") && strings.Contains(text, " before ") && strings.Contains(text, " after  waited"); named != (c.before > 0) {
				t.Errorf("%s, %v: the report is\n%s", c.what, mode, text)
			}
		}
	}
}

// TestAfterShortReleases: Releases that take less time than reading the clock are timed at first
// only: then the time after the last one is not known.
func TestAfterShortReleases(t *testing.T) {
	for _, times := range []int{3, 1000} {
		r := succeed(t, fagus.Config{Nodes: 1, Mode: fagus.Threaded}, func(n *fagus.Node) error {
			_, v, err := guarded[int64](n, 1)
			for i := 0; err == nil && i < times; i++ {
				err = tenure(n, n.Set(fagus.Want(v, fagus.Exclusive)), func() { time.Sleep(20 * time.Millisecond / time.Duration(times)) })
			}
			time.Sleep(5 * time.Millisecond)
			return err
		})
		if after := r.Ranks[0].After; (after > 0) != (times == 3) || times == 3 && (after < 5*fagus.Millisecond || after > r.Ranks[0].Total()-20*fagus.Millisecond) {
			t.Errorf("%d tenures: %v after the last one", times, after)
		}
	}
}
