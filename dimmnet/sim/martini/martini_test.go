package martini_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

var job = martini.Owner{Group: 7, Process: 3}

func TestCompleteOverwritesLowBits(t *testing.T) {
	seed := martini.Seed{Owner: job, To: 5, Physical: true, Command: martini.CommandStore, Addr: 0x1f000}
	h, err := seed.Complete(0x7fc, 4)
	want := martini.Header{Owner: job, To: 5, Physical: true, Command: martini.CommandStore, Addr: 0x1f7fc, Length: 4}
	if err != nil || h != want {
		t.Errorf("Complete returned %+v, error %v, want %+v", h, err, want)
	}
	for _, bad := range []struct {
		offset uint32
		size   int
	}{{4096, 1}, {0, 0}, {0, 9}, {5, 4}, {0xffd, 4}} {
		if h, err := seed.Complete(bad.offset, bad.size); err == nil {
			t.Errorf("Complete(%d, %d) returned %+v, want an error", bad.offset, bad.size, h)
		}
	}
}

// overfull returns a NIC with one kick page more than its HTLB has entries.
func overfull(t *testing.T) *martini.NIC {
	t.Helper()
	n := new(martini.NIC)
	if err := n.Open(job); err != nil {
		t.Fatal(err)
	}
	for range 4*256 + 1 {
		if _, err := n.Map(martini.Seed{Owner: job, Command: martini.CommandStore}); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestHTLB maps one kick page more than a set has ways, and then uses the pages in turn: each
// has been replaced when it is used again.
func TestHTLB(t *testing.T) {
	n := overfull(t)
	for page := range 4 * 256 {
		if _, hit := n.Seed(page); !hit {
			t.Fatalf("page %d: a miss, want it loaded by the driver", page)
		}
	}
	for i, page := range []int{1024, 0, 256, 512, 768, 1024} {
		if _, hit := n.Seed(page); hit {
			t.Errorf("use %d, page %d: a hit, want a miss", i, page)
		}
	}
	if _, hit := n.Seed(768); !hit {
		t.Error("the page before the last used one was replaced")
	}
	if got := n.Counts().HTLBMisses; got != 6 {
		t.Errorf("%d misses counted, want 6", got)
	}
	for _, page := range []int{-1, 1025} {
		if _, _, why := n.Kick(job, page); why != martini.RefusedPage {
			t.Errorf("Kick of page %d, which has no header: %v, want RefusedPage", page, why)
		}
	}
	if _, _, why := n.Kick(martini.Owner{Group: 7, Process: 4}, 3); why != martini.RefusedPage {
		t.Errorf("Kick of another user's page: %v, want RefusedPage", why)
	}
}

func TestKickPagesEnd(t *testing.T) {
	var n martini.NIC
	if err := n.Open(job); err != nil {
		t.Fatal(err)
	}
	for page := range martini.KickPages {
		if _, err := n.Map(martini.Seed{Owner: job, Command: martini.CommandStore}); err != nil {
			t.Fatalf("page %d: %v", page, err)
		}
	}
	if _, err := n.Map(martini.Seed{Owner: job, Command: martini.CommandStore}); err == nil {
		t.Error("a page beyond the last was mapped")
	}
}

func TestUsers(t *testing.T) {
	var n martini.NIC
	for i := range martini.MaxUsers {
		if err := n.Open(martini.Owner{Group: 1, Process: uint16(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Open(job); err == nil {
		t.Errorf("user %d was accepted", martini.MaxUsers+1)
	}
	n.Close(martini.Owner{Group: 1, Process: 9})
	if err := n.Open(job); err != nil {
		t.Errorf("Open after a user has closed: %v", err)
	}
	if err := n.Open(job); err == nil {
		t.Error("a user was opened twice")
	}
}

// TestAdmit goes through all checks of a receiver.
func TestAdmit(t *testing.T) {
	const memory = 1 << 20
	var n martini.NIC
	if err := n.Open(job); err != nil {
		t.Fatal(err)
	}
	if err := n.Register(job, 2, 8192, 5000); err != nil {
		t.Fatal(err)
	}
	block := func(o martini.Owner, region uint16, addr uint32, length int) martini.Header {
		return martini.Header{Owner: o, Region: region, Command: martini.CommandBlock, Addr: addr, Length: length}
	}
	physical := func(c martini.Command, addr uint32, length int) martini.Header {
		return martini.Header{Owner: job, Physical: true, Command: c, Addr: addr, Length: length}
	}
	for _, test := range []struct {
		name string
		h    martini.Header
		at   dimmnet.Offset
		want martini.Refusal
	}{
		{"a block", block(job, 2, 4096, 464), 12288, martini.Admitted},
		{"to the last byte", block(job, 2, 4536, 464), 12728, martini.Admitted},
		{"a byte beyond", block(job, 2, 4537, 464), 0, martini.RefusedBounds},
		{"far beyond", block(job, 2, 1<<32-1, 1), 0, martini.RefusedBounds},
		{"another region", block(job, 1, 0, 1), 0, martini.RefusedRegion},
		{"another group", block(martini.Owner{Group: 8, Process: 3}, 2, 0, 1), 0, martini.RefusedRegion},
		{"another process", block(martini.Owner{Group: 7, Process: 4}, 2, 0, 1), 0, martini.RefusedRegion},
		{"no payload", block(job, 2, 0, 0), 0, martini.RefusedLength},
		{"a long block", block(job, 2, 0, 465), 0, martini.RefusedLength},
		{"a store", physical(martini.CommandStore, memory-8, 8), memory - 8, martini.Admitted},
		{"a store beyond the memory", physical(martini.CommandStore, memory-7, 8), 0, martini.RefusedMemory},
		{"a physical block", physical(martini.CommandBlock, 0, 8), 0, martini.RefusedFlag},
		{"a physical PUSH", physical(martini.CommandPush, 0, 8), 0, martini.RefusedFlag},
		{"a physical PULL", physical(martini.CommandPull, 0, 8), 0, martini.RefusedFlag},
	} {
		before := n.Counts()
		at, _, refusal := n.Admit(&test.h, memory)
		if at != test.at || refusal != test.want {
			t.Errorf("%s: Admit returned address %d, %v, want %d, %v", test.name, at, refusal, test.at, test.want)
		}
		after := n.Counts()
		if d := after.Refusals() - before.Refusals(); (d == 1) != (test.want != martini.Admitted) {
			t.Errorf("%s: the count of refusals changed by %d", test.name, d)
		}
	}
	n.Close(job)
	if h := block(job, 2, 0, 1); refused(&n, &h) != martini.RefusedRegion {
		t.Error("a region of a closed process was accepted")
	}
	if err := n.Register(job, 2, 0, 1); err == nil {
		t.Error("a process that has closed registered a region")
	}
}

func refused(n *martini.NIC, h *martini.Header) martini.Refusal {
	_, _, r := n.Admit(h, 1<<20)
	return r
}

// TestTLB misses each page once.
func TestTLB(t *testing.T) {
	var n martini.NIC
	if err := n.Open(job); err != nil {
		t.Fatal(err)
	}
	if err := n.Register(job, 0, 0, 1<<16); err != nil {
		t.Fatal(err)
	}
	for i, addr := range []uint32{0, 1, 4095, 4096, 5000, 0} {
		_, hit, _ := n.Admit(&martini.Header{Owner: job, Command: martini.CommandBlock, Addr: addr, Length: 1}, 1<<20)
		if want := i != 0 && i != 3; hit != want {
			t.Errorf("access %d to %d: hit %v, want %v", i, addr, hit, want)
		}
	}
}

// TestLeastRecentlyUsed uses three ways of a set again before it needs a fourth.
func TestLeastRecentlyUsed(t *testing.T) {
	n := overfull(t)
	for i, use := range []struct {
		page int
		hit  bool
	}{{0, true}, {256, true}, {768, true}, {1024, false}, {0, true}, {256, true}, {768, true}, {512, false}, {1024, false}} {
		if _, hit := n.Seed(use.page); hit != use.hit {
			t.Errorf("use %d, page %d: hit %v, want %v", i, use.page, hit, use.hit)
		}
	}
}

// TestPagesComeBack: the pages of a closed user are mapped again, and the old header leaves
// the HTLB.
func TestPagesComeBack(t *testing.T) {
	var n martini.NIC
	if err := n.Open(martini.Owner{}); err == nil {
		t.Error("the zero Owner became a user")
	}
	for round := range 3 * martini.KickPages / 2 {
		if err := n.Open(job); err != nil {
			t.Fatal(err)
		}
		page, err := n.Map(martini.Seed{Owner: job, To: dimmnet.Rank(round), Command: martini.CommandStore})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if s, hit := n.Seed(page); s.To != dimmnet.Rank(round) || hit != (round == 0) {
			t.Fatalf("round %d: Seed returned %+v, hit %v", round, s, hit)
		}
		n.Close(job)
		if _, _, why := n.Kick(job, page); why != martini.RefusedPage {
			t.Fatalf("round %d: Kick of a closed user's page: %v, want RefusedPage", round, why)
		}
	}
}

// TestTLBPages: a packet across two pages needs both translations, and Close drops those of
// the process.
func TestTLBPages(t *testing.T) {
	var n martini.NIC
	admit := func(addr uint32, length int) bool {
		_, hit, why := n.Admit(&martini.Header{Owner: job, Command: martini.CommandPush, Addr: addr, Length: length}, 1<<30)
		if why != martini.Admitted {
			t.Fatalf("Admit of %d bytes at %d: %v, want Admitted", length, addr, why)
		}
		return hit
	}
	open := func() {
		if err := n.Open(job); err != nil {
			t.Fatal(err)
		}
		if err := n.Register(job, 0, 0, 1<<26); err != nil {
			t.Fatal(err)
		}
	}
	open()
	if admit(4000, 200) || !admit(0, 1) || !admit(4096, 1) || admit(8190, 4) || !admit(8192, 1) {
		t.Error("a packet across two pages did not fetch both")
	}
	n.Close(job)
	open()
	if admit(0, 1) {
		t.Error("the TLB has a translation of a closed process")
	}
	for page := range uint32(1000) { // translations of other pages fill all sets
		admit(page*4096, 1)
	}
	for page := range uint32(1000) {
		if !admit(page*4096, 1) {
			t.Fatalf("page %d of 1000 was replaced", page)
		}
	}
}

// TestTransfersAreCheckedWhole: the header of the first packet contains the size of the whole
// transfer.
func TestTransfersAreCheckedWhole(t *testing.T) {
	var n martini.NIC
	if err := n.Open(job); err != nil {
		t.Fatal(err)
	}
	if err := n.Register(job, 0, 0, 5000); err != nil {
		t.Fatal(err)
	}
	h := martini.Header{Owner: job, Command: martini.CommandPush, Length: 2048, Rest: 2953}
	if why := refused(&n, &h); why != martini.RefusedBounds {
		t.Errorf("Admit of the first packet of 5001 bytes: %v, want RefusedBounds", why)
	}
	if h.Rest--; refused(&n, &h) != martini.Admitted {
		t.Error("the first packet of 5000 bytes was refused")
	}
}
