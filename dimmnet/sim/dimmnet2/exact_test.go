package dimmnet2_test

import (
	"context"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
)

// tokens makes every rank pass tokens to the next by alternating Stores, Writes and Pushes, with
// work in between.
func tokens(h dimmnet.Host) error {
	p := h.Port()
	next, rounds := dimmnet.Rank((int(p.Rank())+1)%p.Nodes()), uint64(20)
	bulk := dimmnet.Offset(p.Limits().LLCM)
	for i := uint64(1); i <= rounds; i++ {
		h.Spend(dimmnet.Time(i*uint64(p.Rank()+1)*977) * dimmnet.Nanosecond)
		if i%3 == 0 {
			p.Fill(bulk, make([]byte, 5000))
			for !p.Push(next, bulk, bulk+8192, 5000, 512) {
				p.Idle(p.Arrivals())
			}
		}
		if i%2 == 0 {
			for !p.Write(next, 1024, make([]byte, 300)) {
				p.Idle(p.Arrivals())
			}
		}
		for !p.Store(next, 64, i, 8) {
			p.Idle(p.Arrivals())
		}
		for {
			mark := p.Arrivals()
			if p.Load(64) >= i {
				break
			}
			p.Idle(mark)
			if err := p.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestExact checks that skipped polls and repeated runs change nothing, and that a seed does.
func TestExact(t *testing.T) {
	result := func(cfg sim.Config) sim.Result {
		w, err := dimmnet2.New(cfg, dimmnet2.Default())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(context.Background(), 4, tokens); err != nil {
			t.Fatal(err)
		}
		return w.Result()
	}
	plain := result(sim.Config{})
	for name, other := range map[string]sim.Result{"again": result(sim.Config{}), "spin": result(sim.Config{Spin: true})} {
		if other.TraceHash != plain.TraceHash || other.End != plain.End {
			t.Errorf("%s: trace hash %x at %v, want %x at %v", name, other.TraceHash, other.End, plain.TraceHash, plain.End)
		}
	}
	if seeded := result(sim.Config{Seed: 2}); seeded.TraceHash == plain.TraceHash {
		t.Error("a seed changes nothing")
	}
}

// TestRefuse checks invalid parameters, networks and commands.
func TestRefuse(t *testing.T) {
	bad := dimmnet2.Default()
	bad.Link = 0
	if _, err := dimmnet2.New(sim.Config{}, bad); err == nil {
		t.Error("a link that carries nothing is accepted")
	}
	if _, err := dimmnet2.New(sim.Config{UDP: &sim.UDP{}}, dimmnet2.Default()); err == nil {
		t.Error("UDP is accepted")
	}
	w := network(t, sim.Config{})
	if err := w.Run(t.Context(), 100_000, func(dimmnet.Host) error { return nil }); err == nil {
		t.Error("more nodes than rings fit are accepted")
	}
	if err := w.Run(t.Context(), 2, func(h dimmnet.Host) error {
		u, err := dimmnet2.Open(h)
		if err != nil {
			return err
		}
		for what, try := range map[string]func() (uint64, error){
			"VL of the LLCM": func() (uint64, error) { return u.VL(dimmnet2.Contiguous(0, 8), 0) },
			"VL behind PW":   func() (uint64, error) { return u.VL(dimmnet2.Contiguous(1<<20, 8), 1<<20) },
			"VS of nothing":  func() (uint64, error) { return u.VS(0, dimmnet2.Contiguous(1<<20, 0)) },
			"RVS to rank 2": func() (uint64, error) {
				return u.RVS(2, dimmnet2.Contiguous(1<<20, 8), dimmnet2.Contiguous(1<<20, 8), dimmnet2.NoWord)
			},
			"RVS of other lengths": func() (uint64, error) {
				return u.RVS(1, dimmnet2.Contiguous(1<<20, 8), dimmnet2.Contiguous(1<<20, 9), dimmnet2.NoWord)
			},
			"RVL behind the memory": func() (uint64, error) {
				return u.RVL(1, dimmnet2.Contiguous(^dimmnet.Offset(7), 8), dimmnet2.Contiguous(1<<20, 8), dimmnet2.NoWord)
			},
			"a BOTF of no packet":       func() (uint64, error) { return u.BOTF(3) },
			"a BOTF of no window":       func() (uint64, error) { return u.BOTF(-1) },
			"an NRA in front of an NWA": func() (uint64, error) { return 0, u.Advance(1, 8) },
		} {
			if _, err := try(); err == nil {
				t.Errorf("%s is accepted", what)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
