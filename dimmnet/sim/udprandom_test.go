package sim_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// slots is a ring of 8 slots at every rank for every other rank. A sender writes a block and
// then a counting flag; the receiver frees the slot by a flag back.
type slots struct {
	h     dimmnet.Host
	p     dimmnet.Port
	r     *rand.Rand
	count uint64
	sent  []uint64
	got   []uint64
	wrote []bool // the next block is posted, its flag is not
}

const (
	slotBytes = 1400
	slotCount = 8
	slotData  = 1 << 16
)

// size and content of a block depend on its number and the ranks.
func slotBlock(from, to dimmnet.Rank, number uint64) []byte {
	key := uint64(from)<<40 | uint64(to)<<32 | number
	b := make([]byte, 8+key*7919%(slotBytes-8))
	for i := range b {
		b[i] = byte(key>>(8*(i%5))) + byte(i)
	}
	return b
}

func slotAt(from dimmnet.Rank, number uint64) dimmnet.Offset {
	return slotData + (dimmnet.Offset(from)*slotCount+dimmnet.Offset(number%slotCount))*slotBytes
}

func (s *slots) Step() (progress bool, err error) {
	me := s.p.Rank()
	for peer := range dimmnet.Rank(s.p.Nodes()) {
		freed := s.p.Load(4096 + dimmnet.Offset(peer)*8)
		if number := s.sent[peer]; number < s.count && number < freed+slotCount {
			if !s.wrote[peer] {
				s.wrote[peer] = s.p.Write(peer, slotAt(me, number), slotBlock(me, peer, number))
				progress = progress || s.wrote[peer]
			}
			if s.wrote[peer] && s.p.Store(peer, dimmnet.Offset(me)*8, number+1, 8) {
				s.wrote[peer], progress = false, true
				s.sent[peer]++
			}
		}
		number := s.got[peer]
		if flag := s.p.Load(dimmnet.Offset(peer) * 8); flag <= number {
			continue
		}
		want := slotBlock(peer, me, number)
		block := make([]byte, len(want))
		if s.p.Read(block, slotAt(peer, number)); string(block) != string(want) {
			return false, fmt.Errorf("rank %d: block %d from rank %d starts with %#x, want %#x", me, number, peer, binary.LittleEndian.Uint64(block), binary.LittleEndian.Uint64(want))
		}
		if s.p.Store(peer, 4096+dimmnet.Offset(me)*8, number+1, 8) {
			s.got[peer]++
			progress = true
		}
	}
	return progress, nil
}

func (s *slots) done() bool {
	all := true
	for i := range s.got {
		all = all && s.got[i] == s.count && s.sent[i] == s.count
	}
	if !all && s.r.IntN(4) == 0 {
		s.h.Spend(dimmnet.Time(s.r.Int64N(int64(200 * dimmnet.Microsecond))))
	}
	return all
}

// exchangeSlots makes every rank send count blocks to every other.
func exchangeSlots(t *testing.T, cfg sim.Config, nodes int, count uint64) sim.Result {
	t.Helper()
	return play(t, cfg, nodes, func(h dimmnet.Host) error {
		n := h.Port().Nodes()
		s := &slots{h: h, p: h.Port(), r: rand.New(rand.NewPCG(cfg.Seed, uint64(h.Port().Rank()))), count: count,
			sent: make([]uint64, n), got: make([]uint64, n), wrote: make([]bool, n)}
		return dimmnet.Drive(s.p, s, s.done)
	})
}

// TestUDPLosesNothing sends through rings of slots over networks that lose up to a third of
// all datagrams.
func TestUDPLosesNothing(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 7))
		faults := sim.UDP{Loss: 0.2, Duplicate: r.Float64() / 2, Reorder: r.Float64() / 2}
		if seed%3 == 0 {
			faults.Loss = r.Float64() / 3
		}
		cfg := udpOn(t, 1+int(seed%2), faults)
		cfg.Seed = seed
		t.Logf("seed %d: %+v", seed, faults)
		result := exchangeSlots(t, cfg, 2+int(seed%4), 40)
		if faults.Loss > 0.1 && result.UDP.Lost == 0 {
			t.Errorf("seed %d: Result.UDP is %+v, want lost datagrams", seed, result.UDP)
		}
	}
}

// TestUDPFaultsAreAsOften: each kind of fault occurs with the configured probability.
func TestUDPFaultsAreAsOften(t *testing.T) {
	u := exchangeSlots(t, udpOn(t, 2, *bad()), 4, 300).UDP
	copies := u.Sent + u.Duplicated
	for what, share := range map[string][2]float64{
		"lost":       {float64(u.Lost) / float64(copies), 0.2},
		"duplicated": {float64(u.Duplicated) / float64(u.Sent), 0.1},
		"reordered":  {float64(u.Reordered) / float64(copies-u.Lost), 0.2},
	} {
		if got, want := share[0], share[1]; got < want*0.85 || got > want*1.15 {
			t.Errorf("%s: %.3f of %d datagrams, want %.1f", what, got, u.Sent, want)
		}
	}
}

// TestUDPIsDeterministic: the same seed gives the same run, on one processor or eight; another
// seed gives another.
func TestUDPIsDeterministic(t *testing.T) {
	hashes := map[uint64]uint64{}
	for seed := range uint64(4) {
		var results []sim.Result
		for _, procs := range []int{1, 8} {
			before := runtime.GOMAXPROCS(procs)
			cfg := udpOn(t, 1, *bad())
			cfg.Seed = seed
			results = append(results, exchangeSlots(t, cfg, 3, 30))
			runtime.GOMAXPROCS(before)
		}
		a, b := results[0], results[1]
		if a.TraceHash != b.TraceHash || a.End != b.End || a.Events != b.Events || a.UDP != b.UDP {
			t.Errorf("seed %d: two runs differ: %+v, then %+v", seed, a, b)
		}
		if other, ok := hashes[a.TraceHash]; ok {
			t.Errorf("seeds %d and %d gave the same trace hash", other, seed)
		}
		hashes[a.TraceHash] = seed
	}
}
