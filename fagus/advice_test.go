package fagus_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

var modes = []fagus.Mode{fagus.Phase, fagus.Threaded}

// serialised is a program in which every rank holds one variable while it works.
func serialised(rounds int, work func(n *fagus.Node)) func(n *fagus.Node) error {
	return func(n *fagus.Node) error {
		_, head, err := guarded[int64](n, 1)
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(head, fagus.Exclusive))
		for range rounds {
			if err := tenure(n, set, func() { work(n) }); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestSerialAdvice checks the advice for a program that is serialised on one variable. With three
// ranks each rank waits for two thirds of the time.
func TestSerialAdvice(t *testing.T) {
	for _, mode := range modes {
		for _, udp := range []bool{false, true} {
			cfg := sim.Config{Env: "fagus2"}
			if udp {
				cfg = sim.Config{UDP: &sim.UDP{}, Seed: 1}
			}
			const rounds = 30
			program := serialised(rounds, func(n *fagus.Node) { n.Spend(10 * fagus.Millisecond) })
			r := succeed(t, fagus.Config{Nodes: 3, Mode: mode, Net: newSim(t, cfg)}, program)
			serial := r.Serial()
			if len(serial) != 1 || len(r.Waits) != 3 {
				t.Fatalf("%v, UDP %v: advice on %d variables from the waits of %d ranks, want 1 from 3: %v", mode, udp, len(serial), len(r.Waits), r.Waits)
			}
			got := serial[0]
			if got.Variable != "v" || got.Access != fagus.Exclusive || math.Abs(got.Share-2./3) > 0.05 || got.Ranks != 3 || got.Holder == got.Rank {
				t.Errorf("%v, UDP %v: %+v, want two thirds of the time for exclusive v, for all ranks", mode, udp, got)
			}
			if got.HolderTime <= 0 || got.HolderTime > got.Time || got.Times < rounds-1 || got.Times > 2*rounds {
				t.Errorf("%v, UDP %v: %+v: the rank waited in every round, for one or two others", mode, udp, got)
			}
			for _, line := range []string{got.Line, got.HolderLine} {
				if !strings.HasPrefix(line, "fagus/helpers_test.go:") {
					t.Errorf("%v, UDP %v: the line is %q, want that of the call of During", mode, udp, line)
				}
			}
			if text := got.String(); !strings.Contains(text, ` % of the time for exclusive "v", held `) || !strings.Contains(text, "; 2 more ranks waited for it; ") || strings.Contains(text, "threaded mode") != (mode == fagus.Phase) {
				t.Errorf("%v, UDP %v: %s", mode, udp, text)
			}
		}
	}
}

// TestSerialAdviceOverTree: waits for variables are known, too, where lists travel over a tree.
// Whose list was the last is not.
func TestSerialAdviceOverTree(t *testing.T) {
	longtest.OneThread(t)
	const nodes = 70
	program := serialised(2, func(n *fagus.Node) { n.Spend(10 * fagus.Millisecond) })
	r := succeed(t, fagus.Config{Nodes: nodes, Net: newSim(t, sim.Config{Env: "fagus2"})}, program)
	serial := r.Serial()
	if len(serial) != 1 || serial[0].Share < 0.8 || serial[0].Ranks != nodes || len(r.Late) != 0 {
		t.Errorf("advice %v, late ranks %v: want nearly all of the time for one variable, and no late ranks", serial, r.Late)
	}
}

// TestSerialAdviceLive checks that waits are found on live networks.
func TestSerialAdviceLive(t *testing.T) {
	nets := map[string]func() dimmnet.Network{
		"inproc": goroutines,
		"shm":    func() dimmnet.Network { return shm.New(shm.Config{}) },
		"tcp":    func() dimmnet.Network { return tcp.New(tcp.Config{}) },
	}
	if name, net, ok := fabric(1); ok {
		nets[name] = func() dimmnet.Network { return net }
	}
	for name, net := range nets {
		for _, mode := range modes {
			program := serialised(100, func(*fagus.Node) { time.Sleep(200 * time.Microsecond) })
			r := succeed(t, fagus.Config{Nodes: 3, Mode: mode, Net: net()}, program)
			if len(r.Waits) != 3 {
				t.Errorf("%s, %v: %d ranks waited for a variable, want 3: %v", name, mode, len(r.Waits), r.Waits)
			}
			for _, w := range r.Waits {
				if w.Variable != "v" || w.Holder == w.Rank || w.Time <= 0 || w.Share <= 0 || w.HolderLine == "" || w.HolderTime > w.Time {
					t.Errorf("%s, %v: %+v", name, mode, w)
				}
			}
		}
	}
}

// TestSharedWait checks that a reader waits for a writer, and a writer for readers.
func TestSharedWait(t *testing.T) {
	for _, mode := range modes {
		r := succeed(t, fagus.Config{Nodes: 3, Mode: mode, Net: newSim(t, sim.Config{Env: "fagus2"})}, func(n *fagus.Node) error {
			_, v, err := guarded[int64](n, 1)
			if err != nil {
				return err
			}
			access := fagus.Shared
			if n.Rank() == 0 {
				access = fagus.Exclusive
			}
			for range 20 {
				if err := tenure(n, n.Set(fagus.Want(v, access)), func() { n.Spend(fagus.Millisecond) }); err != nil {
					return err
				}
			}
			return nil
		})
		for _, w := range r.Waits {
			want := fagus.Shared
			if w.Rank == 0 {
				want = fagus.Exclusive
			} else if w.Holder != 0 {
				t.Errorf("%v: %+v: a reader waits for the writer only", mode, w)
			}
			if w.Access != want {
				t.Errorf("%v: %+v: want %v", mode, w, want)
			}
		}
		if len(r.Waits) != 3 {
			t.Errorf("%v: %d ranks waited, want 3: %v", mode, len(r.Waits), r.Waits)
		}
	}
}

// TestDeniedAfterLate checks that a rank whose first phase denies the variable has waited for the
// rank that was late, up to the end of that phase, and then for the holder.
func TestDeniedAfterLate(t *testing.T) {
	r := succeed(t, fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{Env: "fagus2"})}, func(n *fagus.Node) error {
		_, v, err := guarded[int64](n, 1)
		if err != nil {
			return err
		}
		if n.Rank() == 0 {
			n.Spend(5 * fagus.Millisecond)
		}
		return tenure(n, n.Set(fagus.Want(v, fagus.Exclusive)), func() { n.Spend(3 * fagus.Millisecond) })
	})
	if len(r.Late) == 0 || r.Late[0].Rank != 1 || r.Late[0].For != 0 || r.Late[0].Time/fagus.Millisecond != 5 {
		t.Errorf("the late ranks are %v, want first rank 0, for which rank 1 has waited 5 ms", r.Late)
	}
	if len(r.Waits) != 1 || r.Waits[0].Rank != 1 || r.Waits[0].Holder != 0 || r.Waits[0].Time/fagus.Millisecond != 3 {
		t.Errorf("the waits are %v, want rank 1 to have waited 3 ms for rank 0", r.Waits)
	}
}

// TestNoAdvice checks that a program whose ranks use different variables gets no advice, though
// one rank is slower than the others; and that these waited for it.
func TestNoAdvice(t *testing.T) {
	for _, mode := range modes {
		r := succeed(t, fagus.Config{Nodes: 3, Mode: mode, Net: newSim(t, sim.Config{Env: "fagus2"})}, func(n *fagus.Node) error {
			a, err := fagus.NewArray[int64](n, "a", 3000)
			if err != nil {
				return err
			}
			var own *fagus.SyncVar
			for r := range n.Nodes() {
				v, err := n.Bind(fmt.Sprint("a.", r), a.Range(1000*r, 1000*(r+1)))
				if err != nil {
					return err
				}
				if r == n.Rank() {
					own = v
				}
			}
			for range 20 {
				if err := touch(n, n.Set(fagus.Want(own, fagus.Exclusive))); err != nil {
					return err
				}
				if n.Rank() == 2 {
					n.Spend(10 * fagus.Millisecond)
				}
				if err := n.Barrier(); err != nil {
					return err
				}
			}
			return nil
		})
		if len(r.Waits) != 0 || len(r.Serial()) != 0 {
			t.Errorf("%v: advice without a wait: %v", mode, r.Waits)
		}
		for of := range 2 {
			var late fagus.Late
			for _, l := range r.Late {
				if l.Rank == of {
					late = l // the first one is the longest
					break
				}
			}
			if late.For != 2 || late.Time < 190*fagus.Millisecond || late.Time > 202*fagus.Millisecond {
				t.Errorf("%v: rank %d waited for %+v, want 200 ms for rank 2; all: %v", mode, of, late, r.Late)
			}
		}
	}
}

// TestMoreWaitsThanRecorded checks that the longest wait is found among many variables.
func TestMoreWaitsThanRecorded(t *testing.T) {
	for _, mode := range modes {
		const variables, long = 200, 137
		r := succeed(t, fagus.Config{Nodes: 2, Mode: mode, Net: newSim(t, sim.Config{Env: "fagus2"})}, func(n *fagus.Node) error {
			a, err := fagus.NewArray[int64](n, "a", variables)
			if err != nil {
				return err
			}
			for i := range variables {
				v, err := n.Bind(fmt.Sprint("a.", i), a.Range(i, i+1))
				if err != nil {
					return err
				}
				if err := n.Barrier(); err != nil {
					return err
				}
				err = tenure(n, n.Set(fagus.Want(v, fagus.Exclusive)), func() {
					if i == long {
						n.Spend(fagus.Second)
					}
					n.Spend(fagus.Time(1+i%7) * fagus.Microsecond)
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		serial := r.Serial()
		if len(serial) != 1 || serial[0].Variable != "a.137" || serial[0].Share < 0.3 {
			t.Errorf("%v: advice %v, want one piece, on %s", mode, serial, "a.137")
		}
		if len(r.Waits) > 2*16 {
			t.Errorf("%v: the report has %d waits, want at most 16 for each rank", mode, len(r.Waits))
		}
	}
}
