package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// poster posts a list of random packets, one in each step, and polls random words in between.
type poster struct {
	port    dimmnet.Port
	actions []action
	polls   []dimmnet.Offset // offsets; those not divisible by 8 are polled by narrow Reads
	seen    uint64           // sum of what was polled in passes that posted
}

type action struct {
	kind     int
	dst      dimmnet.Rank
	dsts     []dimmnet.Rank
	off      dimmnet.Offset
	from, to dimmnet.Offset
	n        int
}

func (s *poster) Step() (progress bool, err error) {
	seen := s.seen
	for _, off := range s.polls {
		if off%dimmnet.WordBytes == 0 {
			seen = seen*31 + s.port.Load(off)
			continue
		}
		var b [3]byte
		s.port.Read(b[:1+off%3], off)
		seen = seen*31 + uint64(b[0])
	}
	a := &s.actions[0]
	word := a.off &^ 7
	posted := false
	switch a.kind {
	case 0:
		posted = s.port.Store(a.dst, word, seen, 1+a.n%8)
	case 1:
		posted = s.port.Write(a.dst, a.off, make([]byte, 1+a.n%464))
	case 2:
		posted = s.port.Multicast(a.dsts, word, seen, 1+a.n%8)
	case 3:
		posted = s.port.Push(a.dst, a.from, a.to, a.n, word)
	case 4:
		posted = s.port.Pull(a.dst, a.from, a.to, a.n, word)
	case 5: // waits for the word at an offset; at the latest, the store of await changes it
		posted = s.port.Load(llcm-16) != 0 || s.port.Load(word) != 0
	}
	if posted {
		s.actions, s.seen = s.actions[1:], seen
	}
	return posted, nil
}

// outcome is everything observable about a run.
type outcome struct {
	Result   sim.Result
	Times    []dimmnet.Time
	Counters []dimmnet.Counters
	Seen     []uint64
}

// randomPreset is a machine with few buffers, short packets and round times, so that many
// posts fail and many events happen at the same time.
func randomPreset(t *testing.T, r *rand.Rand) presets.Preset {
	t.Helper()
	envs := presets.Envs()
	p, err := presets.Load(envs[r.IntN(len(envs))])
	if err != nil {
		t.Fatal(err)
	}
	p.FIFO, p.Windows, p.PushBytes = 1+r.IntN(4), 1+r.IntN(3), 8<<r.IntN(9)
	p.Switch.Ports = 4 + 4*r.IntN(2)
	if r.IntN(2) == 0 {
		p.NIC.HTLBRefill, p.NIC.TLBRefill = 100*ns, 3*ns
	}
	if r.IntN(2) == 0 {
		p.Host.Read, p.Host.Write, p.Host.ReadHalf, p.Host.Fill = 20*ns, 10*ns, 10*ns, 10*ns
	}
	return p
}

// randomRun runs a random program. Every rank posts its list. When all ranks have done so, each
// stores a word that ends the waiting of the others.
func randomRun(t *testing.T, seed uint64, spin bool) (o outcome) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	preset := randomPreset(t, r)
	cfg := sim.Config{Preset: &preset, Spin: spin, ExternalLoop: r.IntN(2) == 0, Limit: dimmnet.Second}
	if r.IntN(2) == 0 {
		cfg.Seed, cfg.MaxDelay = r.Uint64()|1, dimmnet.Time(1+r.IntN(5))*dimmnet.Microsecond
	}
	net := newNetwork(t, cfg)
	nodes := 1 + r.IntN(9)
	programs := make([]*poster, nodes)
	for rank := range programs {
		programs[rank] = &poster{actions: randomActions(r, nodes, net.Preset().Limits.Multicast)}
		for range r.IntN(4) {
			programs[rank].polls = append(programs[rank].polls, dimmnet.Offset(r.IntN(8)*8+r.IntN(6)))
		}
	}
	o = outcome{Times: make([]dimmnet.Time, nodes), Counters: make([]dimmnet.Counters, nodes), Seen: make([]uint64, nodes)}
	err := net.Run(context.Background(), nodes, func(h dimmnet.Host) error {
		p := h.Port()
		s := programs[p.Rank()]
		s.port = p
		for len(s.actions) > 1 { // the last action waits
			left := len(s.actions)
			if err := dimmnet.Drive(p, s, func() bool { return len(s.actions) < left }); err != nil {
				return err
			}
			if left%5 == 0 {
				h.Spend(dimmnet.Time(left) * 100 * ns)
			}
		}
		for dst := range nodes {
			end := &poster{port: p, actions: []action{{dst: dimmnet.Rank(dst), off: llcm - 16, n: 7}}, seen: 1}
			if err := dimmnet.Drive(p, end, func() bool { return len(end.actions) == 0 }); err != nil {
				return err
			}
		}
		if err := dimmnet.Drive(p, s, func() bool { return len(s.actions) == 0 }); err != nil {
			return err
		}
		o.Times[p.Rank()], o.Counters[p.Rank()], o.Seen[p.Rank()] = h.Now(), p.Counters(), s.seen
		return nil
	})
	if err != nil {
		t.Fatalf("seed %d, spin %v: %v", seed, spin, err)
	}
	o.Result = net.Result()
	o.Result.Events = 0 // every pass that a thread runs is an event
	return o
}

func randomActions(r *rand.Rand, nodes, multicast int) []action {
	list := make([]action, 5+r.IntN(40))
	for i := range list {
		a := action{kind: r.IntN(5), dst: dimmnet.Rank(r.IntN(nodes)), off: dimmnet.Offset(r.IntN(2) * r.IntN(60000)), n: 1 + r.IntN(6000)}
		if r.IntN(2) == 0 {
			a.off = dimmnet.Offset(r.IntN(64))
		}
		a.from, a.to = dimmnet.Offset(r.IntN(90000)+r.IntN(2)*llcm), dimmnet.Offset(r.IntN(90000)+r.IntN(2)*llcm)
		if a.kind == 2 && multicast == 0 {
			a.kind = 0
		}
		for _, dst := range r.Perm(nodes)[:1+r.IntN(min(max(multicast, 1), nodes))] {
			a.dsts = append(a.dsts, dimmnet.Rank(dst))
		}
		list[i] = a
	}
	list[len(list)-1].kind = 5
	return list
}

// TestSkippedPollsAreExact runs random programs both with every polling pass and with skipped
// passes, and compares everything observable. One program in four runs twice.
func TestSkippedPollsAreExact(t *testing.T) {
	seeds := longtest.Cases(uint64(300), 100)
	if testing.Short() {
		seeds = 30
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		skipped := randomRun(t, seed, false)
		if spun := randomRun(t, seed, true); !reflect.DeepEqual(skipped, spun) {
			t.Fatalf("seed %d:\nskipped %+v\nspun    %+v", seed, skipped, spun)
		}
		if seed%4 == 0 {
			if again := randomRun(t, seed, false); !reflect.DeepEqual(skipped, again) {
				t.Fatalf("seed %d:\nfirst %+v\nthen  %+v", seed, skipped, again)
			}
		}
	}
}

// TestFirstToBeFreeWakes waits for a window and for a credit; the credit is free first.
func TestFirstToBeFreeWakes(t *testing.T) {
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.FIFO, preset.Windows, preset.NIC.ByteTime = 1, 1, 20*ns
	var ends [2]dimmnet.Time
	for i, spin := range []bool{false, true} {
		err := newNetwork(t, sim.Config{Preset: &preset, Spin: spin, Limit: dimmnet.Millisecond}).Run(context.Background(), 2, func(h dimmnet.Host) error {
			p := h.Port()
			if p.Rank() == 1 {
				return nil
			}
			if !p.Store(1, 0, 1, 8) || !p.Write(1, 8, make([]byte, 464)) {
				t.Error("a post returned false")
			}
			for posted := false; !posted && p.Err() == nil; {
				mark := p.Arrivals()
				if p.Write(1, 8, make([]byte, 464)) {
					t.Error("Write found a free window, want none")
				}
				if posted = p.Store(1, 0, 1, 8); !posted {
					p.Idle(mark)
				}
			}
			ends[i] = h.Now()
			return p.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if ends[0] != ends[1] {
		t.Errorf("the run ends at %v, but with Spin at %v", ends[0], ends[1])
	}
}

// TestEveryLandingWakes polls a word that a packet of each kind changes, at many phases of the
// polling pass.
func TestEveryLandingWakes(t *testing.T) {
	posts := map[string]func(p dimmnet.Port) bool{
		"store": func(p dimmnet.Port) bool { return p.Store(1, 8, 1, 8) },
		"block": func(p dimmnet.Port) bool { return p.Write(1, 8, []byte{1, 1}) },
		"push":  func(p dimmnet.Port) bool { return p.Push(1, 64, 8, 2, 128) },
	}
	for name, post := range posts {
		for phase := range 120 {
			var seen [2]string
			for i, spin := range []bool{false, true} {
				net := newNetwork(t, sim.Config{Env: "D", Spin: spin, Limit: 100 * dimmnet.Microsecond})
				err := net.Run(context.Background(), 2, func(h dimmnet.Host) error {
					p := h.Port()
					if p.Rank() == 0 {
						if !p.Store(0, 64, 0x0101, 8) {
							t.Error("a post returned false")
						}
						h.Spend(dimmnet.Microsecond + dimmnet.Time(phase)*7*ns)
						if !post(p) {
							t.Errorf("%s: the post returned false", name)
						}
						return nil
					}
					for p.Err() == nil {
						mark := p.Arrivals()
						p.Load(16)
						if p.Load(8) != 0 {
							break
						}
						p.Idle(mark)
					}
					seen[i] = fmt.Sprint(h.Now(), p.Counters())
					return p.Err()
				})
				if err != nil {
					t.Fatalf("%s, phase %d, spin %v: %v", name, phase, spin, err)
				}
			}
			if seen[0] != seen[1] {
				t.Fatalf("%s, phase %d: skipped %s, spun %s", name, phase, seen[0], seen[1])
			}
		}
	}
}
