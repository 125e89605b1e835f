package dimmnet2_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
)

func network(t testing.TB, cfg sim.Config) *dimmnet2.Network {
	t.Helper()
	w, err := dimmnet2.New(cfg, dimmnet2.Default())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPort(t *testing.T) {
	for name, cfg := range map[string]sim.Config{"exact": {}, "delays": {Seed: 3}} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "exact" {
				t.Skip("one is enough")
			}
			porttest.Run(t, func() dimmnet.Network { return network(t, cfg) })
		})
	}
}

// pingPong returns half the round trip of packets sent by BOTF(IVS).
func pingPong(t *testing.T, payload, rounds int) dimmnet.Time {
	t.Helper()
	var half dimmnet.Time
	users(t, dimmnet2.Default(), 2, func(h dimmnet.Host, u *dimmnet2.User) error {
		peer := 1 - h.Port().Rank()
		random := rand.New(rand.NewPCG(1, uint64(peer)))
		begin := h.Now()
		for i := range 2 * rounds {
			if i%2 == int(h.Port().Rank()) {
				if err := u.Put(0, u.IVSImage(peer, payload), make([]byte, payload)); err != nil {
					return err
				}
				if _, err := u.BOTF(0); err != nil {
					return err
				}
				// A real poll meets a packet at any phase, so the ranks spend a random part of a
				// poll.
				h.Spend(dimmnet.Time(random.Int64N(int64(dimmnet2.Default().Read))))
				continue
			}
			for want := uint64((i/2 + 1) * payload); ; {
				nwa, err := u.NWA(peer)
				if err != nil {
					return err
				}
				if nwa == want {
					break
				}
			}
			if err := u.Advance(peer, uint64((i/2+1)*payload)); err != nil {
				return err
			}
		}
		half = max(half, (h.Now()-begin)/dimmnet.Time(2*rounds))
		return nil
	})
	return half
}

// vl returns the time of a VL until UR shows its end.
func vl(t *testing.T, n int) (took dimmnet.Time) {
	t.Helper()
	users(t, dimmnet2.Default(), 1, func(h dimmnet.Host, u *dimmnet2.User) error {
		const rounds = 100
		begin := h.Now()
		for range rounds {
			c, err := u.VL(dimmnet2.Contiguous(1<<20, n), 0)
			if err != nil {
				return err
			}
			for !u.Done(c) {
			}
		}
		took = (h.Now() - begin) / rounds
		return nil
	})
	return took
}

// TestFigures checks what the paper measured of the NIC itself, within 3 %.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		what  string
		got   dimmnet.Time
		paper float64 // in us
	}{
		{"BOTF(IVS) of 32 bytes", pingPong(t, 32, 1000), 2.04},
		{"VL of 128 bytes", vl(t, 128), 0.68},
	} {
		got := float64(c.got) / float64(dimmnet.Microsecond)
		t.Logf("%s: %.3f us, the paper %.2f", c.what, got, c.paper)
		if got < 0.97*c.paper || got > 1.03*c.paper {
			t.Errorf("%s takes %.3f us, in the paper %.2f us", c.what, got, c.paper)
		}
	}
}

// TestPatterns checks that one pattern loads what another has stored, and that RVS and RVL land
// where they should.
func TestPatterns(t *testing.T) {
	const base = 1 << 20
	users(t, dimmnet2.Default(), 2, func(h dimmnet.Host, u *dimmnet2.User) error {
		wait := func(n uint64, err error) error {
			for err == nil && !u.Done(n) {
			}
			return err
		}
		me := h.Port().Rank()
		data := make([]byte, 60)
		for i := range data {
			data[i] = byte(i + 100*int(me))
		}
		if err := u.Fill(0, data); err != nil {
			return err
		}
		if err := wait(u.VS(0, dimmnet2.Contiguous(base, 60))); err != nil {
			return err
		}
		if err := wait(u.VL(dimmnet2.Strided(base+1, 3, 4, 10), 0)); err != nil {
			return err
		}
		got := make([]byte, 32)
		if err := u.Fetch(got, 0); err != nil {
			return err
		}
		for k := range 4 {
			if !bytes.Equal(got[8*k:8*k+3], data[1+10*k:4+10*k]) {
				return fmt.Errorf("strided: %v", got)
			}
		}
		if err := wait(u.VL(dimmnet2.Packed(3, base+30, base, base+9), 0)); err != nil {
			return err
		}
		if err := u.Fetch(got, 0); err != nil {
			return err
		}
		if want := append(append(append([]byte{}, data[30:33]...), data[0:3]...), data[9:12]...); !bytes.Equal(got[:9], want) {
			return fmt.Errorf("packed: %v, want %v", got[:9], want)
		}
		if me == 1 {
			return nil
		}
		if err := wait(u.RVS(1, dimmnet2.Packed(2, base, base+20), dimmnet2.Pieces(dimmnet2.Range{Off: base + 200, Bytes: 1}, dimmnet2.Range{Off: base + 300, Bytes: 3}), 64)); err != nil {
			return err
		}
		for {
			if v, err := u.Load(64); err != nil || v == 4 {
				break
			}
		}
		if err := wait(u.RVL(1, dimmnet2.Contiguous(base+299, 5), dimmnet2.Contiguous(base+400, 5), 72)); err != nil {
			return err
		}
		for {
			if v, err := u.Load(72); err != nil || v == 5 {
				break
			}
		}
		if err := wait(u.VL(dimmnet2.Contiguous(base+400, 5), 0)); err != nil {
			return err
		}
		if err := u.Fetch(got[:5], 0); err != nil {
			return err
		}
		if want := []byte{0, data[1], data[20], data[21], 0}; !bytes.Equal(got[:5], want) {
			return fmt.Errorf("RVS and RVL moved %v, want %v", got[:5], want)
		}
		return nil
	})
}

// TestRingStops checks that a ring is never overwritten: packets that do not fit wait in order.
func TestRingStops(t *testing.T) {
	params := dimmnet2.Default()
	params.RingBytes = 1024
	const packets, size = 100, 72
	w := users(t, params, 2, func(h dimmnet.Host, u *dimmnet2.User) error {
		if h.Port().Rank() == 0 {
			for i := range packets {
				b := bytes.Repeat(binary.LittleEndian.AppendUint64(nil, uint64(i)), size/8)
				for !u.Free(i % 64) {
				}
				if err := u.Put(i%64, u.IVSImage(1, size), b); err != nil {
					return err
				}
				if _, err := u.BOTF(i % 64); err != nil {
					return err
				}
			}
			return nil
		}
		h.Spend(dimmnet.Millisecond) // by then all packets have been sent
		for i := range packets {
			for {
				if nwa, err := u.NWA(0); err != nil || nwa >= uint64((i+1)*size) {
					break
				}
			}
			n, err := u.VL(u.Ring(0, uint64(i*size), size), 0)
			for err == nil && !u.Done(n) {
			}
			if err != nil {
				return err
			}
			got := make([]byte, size)
			if err := u.Fetch(got, 0); err != nil {
				return err
			}
			for k := 0; k < size; k += 8 {
				if v := binary.LittleEndian.Uint64(got[k:]); v != uint64(i) {
					return fmt.Errorf("packet %d has %d", i, v)
				}
			}
			if err := u.Advance(0, uint64((i+1)*size)); err != nil {
				return err
			}
		}
		return nil
	})
	if c := w.Counts(); c.Held == 0 || c.Packets != packets {
		t.Errorf("%+v: want held packets and all packets received", c)
	}
}
