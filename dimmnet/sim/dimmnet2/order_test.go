package dimmnet2_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
)

// users runs body with the User of every rank.
func users(t testing.TB, params dimmnet2.Params, nodes int, body func(h dimmnet.Host, u *dimmnet2.User) error) *dimmnet2.Network {
	t.Helper()
	w, err := dimmnet2.New(sim.Config{}, params)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(t.Context(), nodes, func(h dimmnet.Host) error {
		u, err := dimmnet2.Open(h)
		if err != nil {
			return err
		}
		return body(h, u)
	}); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestLoadBehindStore checks that an RVL returns what an earlier RVS has stored.
func TestLoadBehindStore(t *testing.T) {
	users(t, dimmnet2.Default(), 2, func(h dimmnet.Host, _ *dimmnet2.User) error {
		p := h.Port()
		if p.Rank() == 1 {
			return nil
		}
		if !p.Store(1, 64, 7, 8) || !p.Pull(1, 64, 128, 8, 256) {
			return fmt.Errorf("not posted")
		}
		for p.Load(256) != 8 {
		}
		if v := p.Load(128); v != 7 {
			return fmt.Errorf("pulled %d, want 7", v)
		}
		return nil
	})
}

// TestHeldInOrder checks that packets after a held packet are held too, and that windows become
// free after a refused and after a held packet.
func TestHeldInOrder(t *testing.T) {
	params := dimmnet2.Default()
	params.RingBytes = 512
	w := users(t, params, 2, func(h dimmnet.Host, u *dimmnet2.User) error {
		if h.Port().Rank() == 1 {
			h.Spend(dimmnet.Millisecond)
			if v, err := u.Load(0); err != nil || v != 0 {
				return fmt.Errorf("the packet after a held one has landed: word %d, error %v", v, err)
			}
			if err := u.Advance(0, 400); err != nil {
				return err
			}
			for {
				if v, err := u.Load(0); err != nil || v == 9 {
					return err
				}
			}
		}
		for w := range 2 {
			if err := u.Put(w, u.IVSImage(1, 400), make([]byte, 400)); err != nil {
				return err
			}
			if _, err := u.BOTF(w); err != nil {
				return err
			}
		}
		if err := u.Put(2, u.RVSImage(1, 0, 8), []byte{9, 0, 0, 0, 0, 0, 0, 0}); err != nil {
			return err
		}
		if _, err := u.BOTF(2); err != nil {
			return err
		}
		if err := u.Put(3, u.RVSImage(1, ^dimmnet.Offset(7), 8), make([]byte, 8)); err != nil {
			return err
		}
		if _, err := u.BOTF(3); err != nil {
			return err
		}
		for w := range 4 {
			for !u.Free(w) {
			}
		}
		return nil
	})
	if c := w.Counts(); c.Held != 3 || c.Refused != 1 {
		t.Errorf("%+v: want 3 held and 1 refused", c)
	}
}

// TestPromptly checks that a packet is served between two windows while its receiver reads and
// fills bulk memory.
func TestPromptly(t *testing.T) {
	users(t, dimmnet2.Default(), 2, func(h dimmnet.Host, _ *dimmnet2.User) error {
		p := h.Port()
		bulk := dimmnet.Offset(p.Limits().LLCM)
		if p.Rank() == 1 {
			p.Read(make([]byte, 1<<20), bulk)
			p.Fill(bulk, make([]byte, 1<<20))
			return nil
		}
		h.Spend(10 * dimmnet.Microsecond)
		begin := h.Now()
		if !p.Push(1, 64, 128, 8, 256) {
			return fmt.Errorf("not posted")
		}
		for p.Load(256) != 8 {
		}
		if took := h.Now() - begin; took > 100*dimmnet.Microsecond {
			return fmt.Errorf("a Push of 8 bytes took %v", took)
		}
		return nil
	})
}

// TestTooLarge checks that an IVS larger than a ring, and ranks that do not exist, are refused.
func TestTooLarge(t *testing.T) {
	params := dimmnet2.Default()
	params.RingBytes = 1024
	users(t, params, 2, func(h dimmnet.Host, u *dimmnet2.User) error {
		if _, err := u.IVS(1-h.Port().Rank(), dimmnet2.Contiguous(1<<20, 2048)); err == nil {
			return fmt.Errorf("an IVS of 2048 bytes for a ring of 1024 is accepted")
		}
		if _, err := u.NWA(9); err == nil {
			return fmt.Errorf("the ring of rank 9 is accepted")
		}
		if _, err := u.VL(dimmnet2.Strided(1<<20, 8, 2, 1<<32), 0); err == nil {
			return fmt.Errorf("a stride of 4 GB is accepted")
		}
		return nil
	})
}
