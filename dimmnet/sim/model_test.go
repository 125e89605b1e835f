package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

const ns = dimmnet.Nanosecond

// records runs body and returns the packets that landed.
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

// only returns a body that runs f at one rank, and does nothing at the others.
func only(rank dimmnet.Rank, f func(p dimmnet.Port)) func(dimmnet.Host) error {
	return func(h dimmnet.Host) error {
		if h.Port().Rank() == rank {
			f(h.Port())
		}
		return nil
	}
}

// TestHTLBMissCosts uses 34 x 32 kick pages, 64 more than the HTLB holds. The driver loads the
// first four of each set.
func TestHTLBMissCosts(t *testing.T) {
	const pages = 32 // of the LLCM of a node; 8 nodes fill all 256 sets
	body := only(0, func(p dimmnet.Port) {
		for peer := range 34 {
			for page := range pages {
				if !p.Store(dimmnet.Rank(peer), dimmnet.Offset(page*4096), 1, 8) {
					t.Error("Store returned false")
				}
			}
		}
		p.Store(0, 0, 1, 8)
	})
	net := newNetwork(t, sim.Config{Env: "D"})
	if err := net.Run(context.Background(), 34, body); err != nil {
		t.Fatal(err)
	}
	// 1024 pages fit. The other 64 miss, and each replaces the oldest page of its set; that
	// includes the page which the last store uses.
	if got := net.Result().NIC.HTLBMisses; got != 65 {
		t.Errorf("%d misses, want 65", got)
	}
	if end := net.Result().End; end < 65*8090*ns || end > 65*8090*ns+400*dimmnet.Microsecond {
		t.Errorf("the run ended at %v, want 65 refills of 8090 ns and little more", end)
	}
}

// userWithRegion opens a user of the host's NIC that registers 4096 bytes at 0 as region 1.
func userWithRegion(h dimmnet.Host) (*sim.User, error) {
	u, err := sim.OpenUser(h, martini.Owner{Group: 2, Process: 1})
	if err != nil {
		return nil, err
	}
	return u, u.Register(1, 0, 4096)
}

// TestInterruptCosts stores with a header whose command is unknown.
func TestInterruptCosts(t *testing.T) {
	var at [2]dimmnet.Time
	for i, command := range []martini.Command{martini.CommandStore, 99} {
		landed := records(t, sim.Config{Env: "sendrecv"}, 2, func(h dimmnet.Host) error {
			u, err := userWithRegion(h)
			if err != nil || h.Port().Rank() == 1 {
				return err
			}
			h.Spend(dimmnet.Microsecond) // rank 1 registers its region meanwhile
			page, err := u.Map(martini.Seed{To: 1, Region: 1, Command: command})
			if err != nil {
				return err
			}
			_, err = u.Store(page, 0, 1, 8)
			return err
		})
		at[i] = landed[0].At
	}
	if at[1]-at[0] != 8090*ns {
		t.Errorf("the store landed at %v, with an interrupt at %v; want 8090 ns more", at[0], at[1])
	}
}

// TestPortsOfASwitch lets seven nodes store to an eighth at the same time. The packets leave the
// switch 240 ns apart; each lands one transit later than without a switch.
func TestPortsOfASwitch(t *testing.T) {
	landed := records(t, sim.Config{Env: "D"}, 8, func(h dimmnet.Host) error {
		if h.Port().Rank() != 0 {
			h.Port().Store(0, 0, 1, 8)
		}
		return nil
	})
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	first := storeTime(&preset) + (240+148)*ns
	for i, r := range landed {
		if want := first + dimmnet.Time(i)*240*ns; r.At != want {
			t.Errorf("packet %d of rank %d landed at %v, want %v", i, r.From, r.At, want)
		}
	}
	if len(landed) != 7 {
		t.Errorf("%d packets landed, want 7", len(landed))
	}
}

// TestMulticastIsOnePacket checks that a multicast reaches all ranks of one switch at the same
// time, and through the levels of 40 nodes takes as long as a store.
func TestMulticastIsOnePacket(t *testing.T) {
	preset, err := presets.Load("D")
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
			if want := storeTime(&preset) + hops*(240+148)*ns; r.At != want {
				t.Errorf("%d nodes: landed at rank %d at %v, want %v", test.nodes, r.Rank, r.At, want)
			}
		}
	}
}

// TestPushTakesItsTime adds up the stages of a PUSH of two packets from bank to bank in D.
func TestPushTakesItsTime(t *testing.T) {
	landed := records(t, sim.Config{Env: "D"}, 2, only(0, func(p dimmnet.Port) {
		p.Push(1, llcm, llcm, 4096, 0)
	}))
	const start = 5*53 + 60 + 100 + 40 + 1100 // request, send stages, start
	const first = start + 148 + (2048-8)*2 + 70 + 10 + 160
	const second = first + (2048+32)*2 + 100 // link and gap; the TLB already has the page
	const back = second + 10 + 10 + 40 + 148 + 70 + 10
	want := []dimmnet.Time{first * ns, second * ns, back * ns}
	for i, r := range landed {
		if i >= len(want) || r.At != want[i] {
			t.Errorf("packet %d landed at %v, want %v", i, r.At, want)
		}
	}
	if len(landed) != 3 || landed[2].Rank != 0 {
		t.Errorf("packets landed: %+v, want two and an ACK", landed)
	}
}

// TestPullTakesItsTime adds up the stages of a PULL of a word in D: the request, the answer,
// and the status word that the NIC sends to itself.
func TestPullTakesItsTime(t *testing.T) {
	landed := records(t, sim.Config{Env: "D"}, 2, only(0, func(p dimmnet.Port) {
		p.Pull(1, 64, 128, 8, 0)
	}))
	const request = 5*53 + 60 + 100 + 40 + 1100 + 148 + 70 + 10 + 160 // with a TLB miss
	const data = request + 1100 + 148 + 70 + 10 + 160
	// the receiver is free after the data and a gap; the data came 160 ns before
	const free = data - 70 - 10 + 40*2 + 100
	const status = free + 70 + 10 - 20
	for i, want := range []dimmnet.Time{request, data, status} {
		if i >= len(landed) || landed[i].At != want*ns {
			t.Fatalf("packets landed: %+v, want number %d at %d ns", landed, i, want)
		}
	}
}

// TestRequestsAreAsMany: with a blocked link, as many PUSHes can be posted as there are windows.
func TestRequestsAreAsMany(t *testing.T) {
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.NIC.ByteTime, preset.Windows = dimmnet.Millisecond, 5
	posted := 0
	records(t, sim.Config{Preset: &preset}, 2, only(0, func(p dimmnet.Port) {
		for p.Push(1, 0, 4096, 2048, 64) {
			posted++
		}
	}))
	if posted != 5 {
		t.Errorf("%d requests were posted, want 5", posted)
	}
}

// TestMissKeepsOrder: a store whose header is in the HTLB does not overtake a store that misses.
func TestMissKeepsOrder(t *testing.T) {
	landed := records(t, sim.Config{Env: "D"}, 34, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() != 33 {
			return nil
		}
		// more pages than the HTLB has; those of rank 0 are replaced first
		for peer := range dimmnet.Rank(33) {
			for page := range dimmnet.Offset(32) {
				p.Store(peer, page*4096, 1, 8)
			}
		}
		p.Store(0, 4096, 1, 8) // loads the page again
		h.Spend(dimmnet.Millisecond)
		p.Store(0, 0, 2, 8)    // a miss
		p.Store(0, 4096, 2, 8) // a hit, which must not overtake the miss
		return nil
	})
	last := landed[len(landed)-2:]
	if last[0].Off != 0 || last[1].Off != 4096 || last[1].At-last[0].At > 500*ns {
		t.Errorf("the last two stores landed as %+v, want offset 0 before 4096", last)
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
	if err == nil || !strings.Contains(err.Error(), "rank 1 calls Flip while 1 transfers use its banks") {
		t.Errorf("Run returned %v, want an error of Flip", err)
	}
}

// TestSustainedBlocks compares with the papers' estimate of 1017 MB/s one way at 133 MHz.
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
		t.Errorf("the stream reached %.0f MB/s, want 1017 within 5 %%", rate)
	}
	t.Logf("%.0f MB/s", rate)
}

// TestWindowsAndCredits: a word into an uncached window costs an uncached write, a window
// cannot be used again before its packet has left, and every user has its own credits.
func TestWindowsAndCredits(t *testing.T) {
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.FIFO, preset.NIC.ByteTime = 2, dimmnet.Microsecond // the link is practically blocked
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

// TestLongPacketsHoldAPort lets two nodes send a block to a third. The second block leaves the
// switch after the first block has left.
func TestLongPacketsHoldAPort(t *testing.T) {
	landed := records(t, sim.Config{Env: "D"}, 3, func(h dimmnet.Host) error {
		if h.Port().Rank() > 0 {
			h.Port().Write(0, 4096*dimmnet.Offset(h.Port().Rank()), make([]byte, 464))
		}
		return nil
	})
	// The port needs 240 ns for 128 bytes and 2 ns for each further byte; the receiver needs its
	// gap
	const port, receiver = 240 + (496-128)*2, 496*2 + 100 + 160
	if gap := landed[1].At - landed[0].At; gap != max(port, receiver)*ns {
		t.Errorf("the second block lands %v after the first, want %d ns", gap, max(port, receiver))
	}
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.NIC.Gap, preset.NIC.TLBRefill, preset.HeaderBytes = 0, 0, 0
	preset.Switch.Packet = 5 * dimmnet.Microsecond
	landed = records(t, sim.Config{Preset: &preset}, 3, func(h dimmnet.Host) error {
		if h.Port().Rank() > 0 {
			h.Port().Write(0, 4096*dimmnet.Offset(h.Port().Rank()), make([]byte, 464))
		}
		return nil
	})
	if gap := landed[1].At - landed[0].At; gap != (5000+(464-128)*2)*ns {
		t.Errorf("behind a slow port, the second block lands %v after the first, want more", gap)
	}
}

// TestHostTimes measures what calls cost the CPU in E, where narrow reads are cheaper.
func TestHostTimes(t *testing.T) {
	err := newNetwork(t, sim.Config{Env: "E"}).Run(context.Background(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			return nil
		}
		for _, test := range []struct {
			what string
			do   func()
			want dimmnet.Time
		}{
			{"Load", func() { p.Load(0) }, 276 * ns},
			{"Read of half a word", func() { p.Read(make([]byte, 4), 4) }, 234500},
			{"Read across the halves", func() { p.Read(make([]byte, 2), 3) }, 276 * ns},
			{"Read of two words", func() { p.Read(make([]byte, 9), 0) }, 2 * 276 * ns},
			{"Store", func() { p.Store(1, 0, 1, 8) }, 59 * ns},
			{"Fill", func() { p.Fill(llcm, make([]byte, 800)) }, 100 * 10 * ns},
			{"Read of a bank", func() { p.Read(make([]byte, 800), llcm) }, (276 + 100*10) * ns},
			{"Flip", func() { p.Flip() }, (59 + 1000) * ns},
			{"Push", func() { p.Push(1, 0, 64, 8, 128) }, 5 * 59 * ns},
			{"first Write", func() { p.Write(1, 0, make([]byte, 8)) }, (276 + 5*10 + 59) * ns},
			{"second Write", func() { p.Write(1, 0, make([]byte, 8)) }, (5*10 + 59) * ns},
		} {
			before := h.Now()
			if test.do(); h.Now()-before != test.want {
				t.Errorf("%s takes %v, want %v", test.what, h.Now()-before, test.want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBanksBoundAFastBus fills at 133 MHz: the bus is faster than a bank.
func TestBanksBoundAFastBus(t *testing.T) {
	err := newNetwork(t, sim.Config{Env: "design"}).Run(context.Background(), 1, func(h dimmnet.Host) error {
		h.Port().Fill(llcm, make([]byte, 8000))
		if want := 8000 * dimmnet.Second / (1024 * 1e6); h.Now() < want-want/1000 || h.Now() > want+want/1000 {
			t.Errorf("8000 bytes take %v, want %v: 1024 MB/s", h.Now(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAckPassesAMiss: packets that the hardware sends do not wait for a store that is not
// ready.
func TestAckPassesAMiss(t *testing.T) {
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	done := func(misses bool) (at dimmnet.Time) {
		for _, r := range records(t, sim.Config{Preset: &preset}, 2, func(h dimmnet.Host) error {
			p := h.Port()
			if p.Rank() == 0 {
				p.Push(1, 0, 64, 8, 128)
				return nil
			}
			u, err := sim.OpenUser(h, martini.Owner{Group: 2, Process: 1})
			for range 1025 { // more kick pages than the HTLB has
				if err == nil {
					_, err = u.Map(martini.Seed{To: 0, Command: martini.CommandStore})
				}
			}
			h.Spend(1500 * ns)
			if misses && err == nil {
				_, err = u.Store(1024, 0, 1, 8)
			}
			return err
		}) {
			if r.Rank == 0 && r.Off == 128 {
				at = r.At
			}
		}
		return at
	}
	if quiet, busy := done(false), done(true); quiet == 0 || quiet != busy {
		t.Errorf("the ACK lands at %v, and at %v while a store waits for its header", quiet, busy)
	}
}

// TestWindowFreesItsUser: a thread that waits for a window of a User is woken.
func TestWindowFreesItsUser(t *testing.T) {
	var ends [2]dimmnet.Time
	for i, spin := range []bool{false, true} {
		err := newNetwork(t, sim.Config{Env: "B", Spin: spin, Limit: dimmnet.Millisecond}).Run(context.Background(), 2, func(h dimmnet.Host) error {
			u, err := userWithRegion(h)
			if err != nil || h.Port().Rank() == 1 {
				return err
			}
			h.Spend(dimmnet.Microsecond) // rank 1 registers its region meanwhile
			w, err := u.Window(sim.WriteCombining)
			for left := 3; left > 0 && err == nil; {
				mark := h.Port().Arrivals()
				var posted bool
				if posted, err = u.Block(w, martini.Header{To: 1, Region: 1}, make([]byte, 464), sim.NoAck); posted {
					left--
				} else if err == nil {
					h.Port().Idle(mark)
				}
			}
			ends[i] = h.Now()
			return err
		})
		if err != nil {
			t.Fatalf("Spin %v: Run returned %v", spin, err)
		}
	}
	if ends[0] != ends[1] {
		t.Errorf("the run ends at %v, but with Spin at %v", ends[0], ends[1])
	}
}

// TestRegionsOfUsers: a region has whole words and lies in one memory; stores reach bulk
// memory, too.
func TestRegionsOfUsers(t *testing.T) {
	err := newNetwork(t, sim.Config{}).Run(context.Background(), 1, func(h dimmnet.Host) error {
		u, err := sim.OpenUser(h, martini.Owner{Group: 2, Process: 1})
		if err != nil {
			return err
		}
		for _, bad := range [][2]int{{4, 8}, {llcm - 8, 16}, {0, 0}, {llcm, 256<<20 + 1}} {
			if err := u.Register(1, dimmnet.Offset(bad[0]), bad[1]); err == nil {
				t.Errorf("region of %d bytes at %d was accepted", bad[1], bad[0])
			}
		}
		if err := u.Register(1, llcm, 4096); err != nil {
			return err
		}
		page, err := u.Map(martini.Seed{Region: 1, Command: martini.CommandStore})
		if err != nil {
			return err
		}
		if _, err := u.Store(page, 8, 0x0102, 2); err != nil {
			return err
		}
		h.Spend(dimmnet.Millisecond)
		h.Port().Flip()
		got := make([]byte, 3)
		if h.Port().Read(got, llcm+8); got[0] != 2 || got[1] != 1 || got[2] != 0 {
			t.Errorf("the bulk memory contains %v", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.OpenUser(nil, martini.Owner{Group: 2}); err == nil {
		t.Error("OpenUser accepted a host of another kind")
	}
}
