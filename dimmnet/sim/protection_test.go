package sim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

const (
	llcm   = 128 << 10
	bank   = 256 << 20
	status = 1 << 63 // in a status word: refused, with the reason in the low bits
	ack    = dimmnet.Offset(llcm - 8)
)

// attacker holds the means of a forged access: a user of rank 0's NIC, of the same group as the
// victim at rank 1. The victim has registered 5000 bytes at 8192 as region 2.
type attacker struct {
	*sim.User
	h      dimmnet.Host
	window int
	stale  *sim.User // a closed user; its window was staleWindow
	staleW int
	other  *sim.User // a user of another group
	otherW int
	page   int // a kick page of the attacker, for the victim's memory at 8192
	otherP int // a kick page of the other user
}

// await returns the status word of a post.
func await(p dimmnet.Port) (word uint64) {
	for word == 0 && p.Err() == nil {
		mark := p.Arrivals()
		if word = p.Load(ack); word == 0 {
			p.Idle(mark)
		}
	}
	return word
}

func block(region uint16, addr uint32) martini.Header {
	return martini.Header{To: 1, Region: region, Addr: addr}
}

// blockRefused sends a block that must be refused for the given reason.
func blockRefused(u *sim.User, p dimmnet.Port, window int, h martini.Header, n int, why martini.Refusal) error {
	if _, err := u.Block(window, h, make([]byte, n), ack); err != nil {
		return err
	}
	return wantStatus(p, status|uint64(why))
}

func wantStatus(p dimmnet.Port, want uint64) error {
	if got := await(p); got != want {
		return fmt.Errorf("the status word is %#x, want %#x", got, want)
	}
	return nil
}

// forgeries lists accesses that must be refused, with the reasons.
var forgeries = []struct {
	name string
	why  martini.Refusal
	try  func(a *attacker) error
}{
	{"block of another group", martini.RefusedRegion, func(a *attacker) error {
		return blockRefused(a.other, a.h.Port(), a.otherW, block(2, 0), 64, martini.RefusedRegion)
	}},
	{"block that claims the victim's process", martini.RefusedRegion, func(a *attacker) error {
		h := block(2, 0) // the hardware overwrites what the user wrote
		h.Owner = martini.Owner{Group: 7, Process: 2}
		return blockRefused(a.other, a.h.Port(), a.otherW, h, 64, martini.RefusedRegion)
	}},
	{"block to a region that is not registered", martini.RefusedRegion, func(a *attacker) error {
		return blockRefused(a.User, a.h.Port(), a.window, block(3, 0), 64, martini.RefusedRegion)
	}},
	{"block that ends a byte beyond its region", martini.RefusedBounds, func(a *attacker) error {
		return blockRefused(a.User, a.h.Port(), a.window, block(2, 5000-63), 64, martini.RefusedBounds)
	}},
	{"block far beyond its region", martini.RefusedBounds, func(a *attacker) error {
		return blockRefused(a.User, a.h.Port(), a.window, block(2, 1<<32-8), 64, martini.RefusedBounds)
	}},
	{"block with a physical address", martini.RefusedFlag, func(a *attacker) error {
		h := block(2, 0)
		h.Physical = true
		return blockRefused(a.User, a.h.Port(), a.window, h, 64, martini.RefusedFlag)
	}},
	{"block that is too long", martini.RefusedLength, func(a *attacker) error {
		return blockRefused(a.User, a.h.Port(), a.window, block(2, 0), 465, martini.RefusedLength)
	}},
	{"block through a stale window", martini.RefusedWindow, func(a *attacker) error {
		_, err := a.stale.Block(a.staleW, block(2, 0), make([]byte, 64), ack)
		return expectError(err)
	}},
	{"block through another user's window", martini.RefusedWindow, func(a *attacker) error {
		_, err := a.Block(a.otherW, block(2, 0), make([]byte, 64), ack)
		return expectError(err)
	}},
	{"store to a kick page without a header", martini.RefusedPage, func(a *attacker) error {
		_, err := a.Store(60000, 0, 1, 8)
		return expectError(err)
	}},
	{"store to another user's kick page", martini.RefusedPage, func(a *attacker) error {
		_, err := a.Store(a.otherP, 0, 1, 8)
		return expectError(err)
	}},
	{"store of another group", martini.RefusedRegion, func(a *attacker) error {
		_, err := a.other.Store(a.otherP, 0, 1, 8)
		return err
	}},
	{"store beyond the region's end", martini.RefusedBounds, func(a *attacker) error {
		page, err := a.Map(martini.Seed{To: 1, Region: 2, Command: martini.CommandStore, Addr: 4096})
		if err == nil {
			_, err = a.Store(page, 904, 1, 8)
		}
		return err
	}},
	{"store to physical memory that is not there", martini.RefusedMemory, func(a *attacker) error {
		_, err := a.Map(martini.Seed{To: 1, Physical: true, Command: martini.CommandStore, Addr: llcm + bank})
		return expectError(err)
	}},
	{"physical store to a page of which the region has a part", martini.RefusedMemory, func(a *attacker) error {
		_, err := a.Map(martini.Seed{To: 1, Physical: true, Command: martini.CommandStore, Addr: 12288})
		return expectError(err)
	}},
	{"physical store of another group", martini.RefusedMemory, func(a *attacker) error {
		_, err := a.other.Map(martini.Seed{To: 1, Physical: true, Command: martini.CommandStore, Addr: 8192})
		return expectError(err)
	}},
	{"status word in another's memory", martini.RefusedRegion, func(a *attacker) error {
		_, err := a.Block(a.window, block(2, 0), make([]byte, 64), 32768)
		return expectError(err)
	}},
	{"PUSH of another's memory", martini.RefusedRegion, func(a *attacker) error {
		_, err := a.other.Push(block(2, 0), 16384, 64, ack)
		return expectError(err)
	}},
	{"PUSH of a user that has closed", martini.RefusedRegion, func(a *attacker) error {
		_, err := a.stale.Push(block(2, 0), 16384, 64, ack)
		return expectError(err)
	}},
	{"PUSH whose addresses wrap", martini.RefusedLength, func(a *attacker) error {
		_, err := a.Push(block(2, 1<<32-2048), 16384, 4096, ack)
		return expectError(err)
	}},
	{"PUSH beyond its region, in its third packet", martini.RefusedBounds, func(a *attacker) error {
		if _, err := a.Push(block(2, 0), 16384, 8192, ack); err != nil {
			return err
		}
		return wantStatus(a.h.Port(), status|uint64(martini.RefusedBounds))
	}},
	{"PUSH of another group", martini.RefusedRegion, func(a *attacker) error {
		if _, err := a.other.Push(block(2, 0), 49152, 64, ack); err != nil {
			return err
		}
		return wantStatus(a.h.Port(), status|uint64(martini.RefusedRegion))
	}},
	{"PULL of another group", martini.RefusedRegion, func(a *attacker) error {
		if _, err := a.other.Pull(block(2, 0), block(2, 0), 64, ack); err != nil {
			return err
		}
		return wantStatus(a.h.Port(), status|uint64(martini.RefusedRegion))
	}},
	{"PULL beyond its region", martini.RefusedBounds, func(a *attacker) error {
		if _, err := a.Pull(block(2, 4990), block(2, 0), 64, ack); err != nil {
			return err
		}
		return wantStatus(a.h.Port(), status|uint64(martini.RefusedBounds))
	}},
}

func expectError(err error) error {
	if err == nil {
		return errors.New("it was let out")
	}
	return nil
}

// TestForgeriesAreRefused tries each forgery, and checks every byte of the victim.
func TestForgeriesAreRefused(t *testing.T) {
	for _, f := range forgeries {
		net := newNetwork(t, sim.Config{})
		err := net.Run(context.Background(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				return victim(h)
			}
			a, err := newAttacker(h)
			if err != nil {
				return err
			}
			if err := f.try(a); err != nil {
				return err
			}
			h.Spend(dimmnet.Millisecond) // all packets land meanwhile
			return post(h.Port(), func(p dimmnet.Port) bool { return p.Store(1, ack, 1, 8) })
		})
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		r := net.Result()
		most := uint64(1)
		// The engine may send one more packet before it knows of the refusal.
		if strings.HasPrefix(f.name, "PUSH") {
			most = 2
		}
		if n := r.NIC.Refusals(); n < 1 || n > most || r.NIC.Refused[f.why] != n {
			t.Errorf("%s: refusals %v, want one for %q", f.name, r.NIC.Refused, f.why)
		}
		if len(r.Refused) != int(r.NIC.Refusals()) || r.Refused[0].Reason != f.why || r.Refused[0].From != 0 {
			t.Errorf("%s: Result.Refused is %+v", f.name, r.Refused)
		}
	}
	if len(forgeries) < 10 {
		t.Errorf("the test has only %d forgeries", len(forgeries))
	}
}

func post(p dimmnet.Port, f func(dimmnet.Port) bool) error {
	if !f(p) {
		return errors.New("not posted")
	}
	return nil
}

// newAttacker opens the users of rank 0.
func newAttacker(h dimmnet.Host) (a *attacker, err error) {
	a = &attacker{h: h}
	open := func(group, process uint16, base dimmnet.Offset) (u *sim.User, window int) {
		if err == nil {
			u, err = sim.OpenUser(h, martini.Owner{Group: group, Process: process})
		}
		if err == nil {
			// all users may write the status word
			err = errors.Join(u.Register(2, base, 16384), u.Register(4, ack-8, 16))
		}
		if err == nil {
			window, err = u.Window(sim.WriteCombining)
		}
		return u, window
	}
	a.User, a.window = open(7, 2, 16384)
	a.other, a.otherW = open(8, 2, 49152)
	a.stale, a.staleW = open(7, 9, 65536)
	if err != nil {
		return nil, err
	}
	a.stale.Close()
	// fill the memory that it pushes from
	for off := dimmnet.Offset(16384); off < 32768-464; off += 464 {
		if !h.Port().Write(0, off, bytes.Repeat([]byte{0xff}, 464)) {
			return nil, errors.New("not posted")
		}
	}
	if a.page, err = a.Map(martini.Seed{To: 1, Region: 2, Command: martini.CommandStore}); err != nil {
		return nil, err
	}
	a.otherP, err = a.other.Map(martini.Seed{To: 1, Region: 2, Command: martini.CommandStore})
	h.Spend(10 * dimmnet.Microsecond) // the victim registers its region meanwhile
	return a, err
}

// victim registers its region, and checks that its memory does not change.
func victim(h dimmnet.Host) error {
	u, err := sim.OpenUser(h, martini.Owner{Group: 7, Process: 2})
	if err != nil {
		return err
	}
	if err := u.Register(2, 8192, 5000); err != nil {
		return err
	}
	p := h.Port()
	if await(p) == 0 {
		return p.Err()
	}
	memory := make([]byte, llcm-8)
	p.Read(memory, 0)
	for i, b := range memory {
		if b != 0 {
			return fmt.Errorf("byte %d of the victim's memory has changed", i)
		}
	}
	return nil
}

// TestRightfulAccesses makes the accesses that the forgeries imitate, with permission.
func TestRightfulAccesses(t *testing.T) {
	net := newNetwork(t, sim.Config{})
	err := net.Run(context.Background(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			u, err := sim.OpenUser(h, martini.Owner{Group: 7, Process: 2})
			if err == nil {
				err = u.Register(2, 8192, 5000)
			}
			if err != nil || await(p) == 0 {
				return errors.Join(err, p.Err())
			}
			got := make([]byte, 8)
			for _, want := range []struct {
				off  dimmnet.Offset
				byte byte
			}{{8192 + 8, 3}, {8192 + 4936, 5}, {8192 + 512, 5}} {
				if p.Read(got, want.off); got[0] != want.byte {
					t.Errorf("the byte is %d at offset %d, want %d", got[0], want.off, want.byte)
				}
			}
			return nil
		}
		a, err := newAttacker(h)
		if err != nil {
			return err
		}
		data := make([]byte, 64)
		data[0] = 5
		if _, err := a.Store(a.page, 8, 3, 1); err != nil {
			return err
		}
		if _, err := a.Block(a.window, block(2, 4936), data, ack); err != nil {
			return err
		}
		if err := wantStatus(p, 64); err != nil {
			return err
		}
		// A PULL to the own region, and a PUSH from there.
		err = post(p, func(p dimmnet.Port) bool { return p.Store(0, ack, 0, 8) })
		h.Spend(dimmnet.Millisecond)
		if err == nil {
			_, err = a.Pull(block(2, 4936), martini.Header{To: 0, Region: 2, Addr: 0}, 64, ack)
		}
		if err == nil {
			err = wantStatus(p, 64)
		}
		if err == nil {
			_, err = a.Push(block(2, 512), 16384, 64, ack-8)
		}
		h.Spend(dimmnet.Millisecond)
		if err == nil {
			err = post(p, func(p dimmnet.Port) bool { return p.Store(1, ack, 1, 8) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := net.Result(); r.NIC.Refusals() != 0 {
		t.Errorf("rightful accesses were refused: %+v", r.Refused)
	}
}
