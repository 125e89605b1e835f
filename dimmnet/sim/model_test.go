package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

const ns = dimmnet.Nanosecond

// records runs body and returns what landed.
func records(t *testing.T, cfg sim.Config, nodes int, body func(dimmnet.Host) error) (landed []sim.Record) {
	t.Helper()
	cfg.Trace = func(r sim.Record) {
		if r.Note == "" {
			landed = append(landed, r)
		}
	}
	if err := newNetwork(t, cfg).Run(context.Background(), nodes, body); err != nil {
		t.Fatal(err)
	}
	return landed
}

// only runs f at one rank.
func only(rank dimmnet.Rank, f func(p dimmnet.Port)) func(dimmnet.Host) error {
	return func(h dimmnet.Host) error {
		if h.Port().Rank() == rank {
			f(h.Port())
		}
		return nil
	}
}

// TestHTLBMissCosts uses kick pages of one set in turn: the driver loads four.
func TestHTLBMissCosts(t *testing.T) {
	const pages = 32 // of the LLCM of a node; 256 sets are those of 8 nodes
	body := only(0, func(p dimmnet.Port) {
		for peer := range 34 {
			for page := range pages {
				if !p.Store(dimmnet.Rank(peer), dimmnet.Offset(page*4096), 1, 8) {
					t.Error("not posted")
				}
			}
		}
		p.Store(0, 0, 1, 8)
	})
	net := newNetwork(t, sim.Config{Env: "D"})
	if err := net.Run(context.Background(), 34, body); err != nil {
		t.Fatal(err)
	}
	// 1024 pages fit; the 64 beyond miss, each throws out the oldest of its set,
	// and so misses the page used at last.
	if got := net.Result().NIC.HTLBMisses; got != 65 {
		t.Errorf("%d misses, want 65", got)
	}
	if end := net.Result().End; end < 65*8090*ns || end > 65*8090*ns+400*dimmnet.Microsecond {
		t.Errorf("the run ended at %v, want 65 refills of 8090 ns and little more", end)
	}
}

// TestInterruptCosts stores by a header whose command nobody knows.
func TestInterruptCosts(t *testing.T) {
	var at [2]dimmnet.Time
	for i, command := range []martini.Command{martini.CommandStore, 99} {
		landed := records(t, sim.Config{Env: "sendrecv"}, 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				return nil
			}
			u, err := sim.OpenUser(h, martini.Owner{Group: 2, Process: 1})
			if err != nil {
				return err
			}
			page, err := u.Map(martini.Seed{To: 1, Physical: true, Command: command})
			if err != nil {
				return err
			}
			_, err = u.Store(page, 0, 1, 8)
			return err
		})
		at[i] = landed[0].At
	}
	if at[1]-at[0] != 8090*ns {
		t.Errorf("landed at %v and with an interrupt at %v, want 8090 ns more", at[0], at[1])
	}
}

// TestPortsOfASwitch lets seven nodes store to the eighth at the same time:
// their packets leave its port 240 ns apart, and one transit later than alone.
func TestPortsOfASwitch(t *testing.T) {
	landed := records(t, sim.Config{Env: "D"}, 8, func(h dimmnet.Host) error {
		if h.Port().Rank() != 0 {
			h.Port().Store(0, 0, 1, 8)
		}
		return nil
	})
	preset, err := sim.LoadPreset("D")
	if err != nil {
		t.Fatal(err)
	}
	first := preset.OneWay() + (240+148)*ns
	for i, r := range landed {
		if want := first + dimmnet.Time(i)*240*ns; r.At != want {
			t.Errorf("packet %d of rank %d landed at %v, want %v", i, r.From, r.At, want)
		}
	}
	if len(landed) != 7 {
		t.Errorf("%d packets landed, want 7", len(landed))
	}
}

// TestMulticastIsOnePacket reaches all at one time in one switch; by the cascades
// of 40 nodes it comes when a store alone would.
func TestMulticastIsOnePacket(t *testing.T) {
	preset, err := sim.LoadPreset("D")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		nodes    int
		dsts     []dimmnet.Rank
		switches map[dimmnet.Rank]dimmnet.Time
	}{
		{8, []dimmnet.Rank{1, 2, 3, 4, 5, 6, 7}, nil},
		{40, []dimmnet.Rank{1, 5, 6, 20, 39}, map[dimmnet.Rank]dimmnet.Time{5: 3, 6: 3, 20: 5, 39: 5}},
	} {
		landed := records(t, sim.Config{Env: "D"}, test.nodes, only(0, func(p dimmnet.Port) {
			p.Multicast(test.dsts, 64, 7, 8)
		}))
		if len(landed) != len(test.dsts) {
			t.Fatalf("%d nodes: %d packets landed, want %d", test.nodes, len(landed), len(test.dsts))
		}
		for _, r := range landed {
			hops := max(1, test.switches[r.Rank])
			if want := preset.OneWay() + hops*(240+148)*ns; r.At != want {
				t.Errorf("%d nodes: landed at rank %d at %v, want %v", test.nodes, r.Rank, r.At, want)
			}
		}
	}
}

// TestPushTakesItsTime adds up a PUSH of two packets from bank to bank in D.
func TestPushTakesItsTime(t *testing.T) {
	landed := records(t, sim.Config{Env: "D"}, 2, only(0, func(p dimmnet.Port) {
		p.Push(1, llcm, llcm, 4096, 0)
	}))
	const start = 5*53 + 60 + 100 + 40 + 1100 // request, send stages, start
	const first = start + 148 + (2048-8)*2 + 70 + 10 + 160
	const second = first + (2048+32)*2 + 100 // link and gap; the page's translation is there
	const back = second + 10 + 10 + 40 + 148 + 70 + 10
	want := []dimmnet.Time{first * ns, second * ns, back * ns}
	for i, r := range landed {
		if i >= len(want) || r.At != want[i] {
			t.Errorf("packet %d landed at %v, want %v", i, r.At, want)
		}
	}
	if len(landed) != 3 || landed[2].Rank != 0 {
		t.Errorf("landed: %+v, want two packets and an ACK", landed)
	}
}

func TestFlipDuringPush(t *testing.T) {
	err := newNetwork(t, sim.Config{}).Run(context.Background(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			p.Push(1, llcm, llcm, 1<<20, 0)
		} else {
			h.Spend(100 * dimmnet.Microsecond)
			p.Flip()
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "rank 1 flips its banks while 1 transfers use them") {
		t.Errorf("error %v", err)
	}
}

// TestSustainedBlocks is the papers' estimate of 1017 MB/s one way at 133 MHz.
func TestSustainedBlocks(t *testing.T) {
	const blocks = 1000
	landed := records(t, sim.Config{Env: "design"}, 2, only(0, func(p dimmnet.Port) {
		for i := 0; i < blocks; {
			if mark := p.Arrivals(); p.Write(1, 0, make([]byte, 464)) {
				i++
			} else {
				p.Idle(mark)
			}
		}
	}))
	last := landed[len(landed)-1].At
	rate := blocks * 464 / (float64(last) / float64(dimmnet.Second)) / 1e6
	if rate < 1017*0.95 || rate > 1017*1.05 {
		t.Errorf("%.0f MB/s, want 1017 within 5 %%", rate)
	}
	t.Logf("%.0f MB/s", rate)
}

// TestWindowsAndCredits: a word into an uncached window costs an uncached write,
// a window cannot be used again before its packet has left, and users have credits
// of their own.
func TestWindowsAndCredits(t *testing.T) {
	preset, err := sim.LoadPreset("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.FIFO, preset.NIC.ByteTime = 2, dimmnet.Microsecond // the link is as good as blocked
	err = newNetwork(t, sim.Config{Preset: &preset}).Run(context.Background(), 2, func(h dimmnet.Host) error {
		u, err := sim.OpenUser(h, martini.Owner{Group: 2, Process: 1})
		if err == nil {
			err = u.Register(1, 0, 4096)
		}
		if err != nil || h.Port().Rank() == 1 {
			return err
		}
		h.Spend(dimmnet.Microsecond)
		for kind, word := range []dimmnet.Time{sim.WriteCombining: 10, sim.Uncached: 53} {
			w, err := u.Window(sim.WindowKind(kind))
			if err != nil {
				return err
			}
			start := h.Now()
			for i, want := range []bool{true, false} {
				posted, err := u.Block(w, martini.Header{To: 1, Region: 1}, make([]byte, 32), sim.NoAck)
				if err != nil || posted != want {
					t.Errorf("window %d, use %d: posted %v, error %v", w, i, posted, err)
				}
			}
			if took := h.Now() - start; took != (8*word+53+173)*ns {
				t.Errorf("window of kind %d: %v, want eight words of %d ns, the kick and a read", kind, took, word)
			}
		}
		page, err := u.Map(martini.Seed{To: 1, Region: 1, Command: martini.CommandStore})
		if err != nil {
			return err
		}
		for i, want := range []bool{true, true, false} {
			if posted, err := u.Store(page, 0, 1, 8); err != nil || posted != want {
				t.Errorf("store %d of the user: posted %v, error %v", i, posted, err)
			}
			if posted := h.Port().Store(1, 0, 1, 8); posted != want {
				t.Errorf("store %d of the port: posted %v", i, posted)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
