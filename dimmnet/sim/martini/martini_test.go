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
		t.Errorf("header %+v, error %v, want %+v", h, err, want)
	}
	for _, bad := range []struct {
		offset uint32
		size   int
	}{{4096, 1}, {0, 0}, {0, 9}, {5, 4}, {0xffd, 4}} {
		if h, err := seed.Complete(bad.offset, bad.size); err == nil {
			t.Errorf("%d bytes at %d: header %+v, want an error", bad.size, bad.offset, h)
		}
	}
}

func FuzzSeed(f *testing.F) {
	s := martini.Seed{Owner: job, To: 5, Region: 2, Physical: true, Command: martini.CommandStore, Addr: 0x1f000}
	b := s.Encode()
	f.Add(b[:])
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) != martini.SeedBytes {
			return
		}
		b := [martini.SeedBytes]byte(data)
		if s, err := martini.DecodeSeed(b); err == nil && s.Encode() != b {
			t.Errorf("%x decodes to %+v, which encodes to %x", b, s, s.Encode())
		}
	})
}

// TestHTLB maps a kick page more than a set has ways, and then uses them in
// turn: each is gone when its turn comes.
func TestHTLB(t *testing.T) {
	var n martini.NIC
	if err := n.Open(job); err != nil {
		t.Fatal(err)
	}
	for range 4*256 + 1 {
		if _, err := n.Map(martini.Seed{Owner: job, Command: martini.CommandStore}); err != nil {
			t.Fatal(err)
		}
	}
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
		t.Error("the page used last but one has gone")
	}
	if got := n.Counts().HTLBMisses; got != 6 {
		t.Errorf("%d misses counted, want 6", got)
	}
	for _, page := range []int{-1, 1025} {
		if _, _, why := n.Kick(job, page); why != martini.RefusedPage {
			t.Errorf("page %d without a header: %v", page, why)
		}
	}
	if _, _, why := n.Kick(martini.Owner{Group: 7, Process: 4}, 3); why != martini.RefusedPage {
		t.Errorf("another user's page: %v", why)
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
		t.Errorf("no room after a user has closed: %v", err)
	}
	if err := n.Open(job); err == nil {
		t.Error("a user was opened twice")
	}
}

// TestAdmit goes through all that a receiver checks.
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
			t.Errorf("%s: place %d, %v, want %d, %v", test.name, at, refusal, test.at, test.want)
		}
		after := n.Counts()
		if d := after.Refusals() - before.Refusals(); (d == 1) != (test.want != martini.Admitted) {
			t.Errorf("%s: %d refusals counted", test.name, d)
		}
	}
	n.Close(job)
	if h := block(job, 2, 0, 1); refused(&n, &h) != martini.RefusedRegion {
		t.Error("a region outlived its process")
	}
	if err := n.Register(job, 2, 0, 1); err == nil {
		t.Error("a process that has closed registered a region")
	}
}

func refused(n *martini.NIC, h *martini.Header) martini.Refusal {
	_, _, r := n.Admit(h, 1<<20)
	return r
}

// TestTLB misses a page once.
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
	var n martini.NIC
	if err := n.Open(job); err != nil {
		t.Fatal(err)
	}
	for range 4*256 + 1 {
		if _, err := n.Map(martini.Seed{Owner: job, Command: martini.CommandStore}); err != nil {
			t.Fatal(err)
		}
	}
	for i, use := range []struct {
		page int
		hit  bool
	}{{0, true}, {256, true}, {768, true}, {1024, false}, {0, true}, {256, true}, {768, true}, {512, false}, {1024, false}} {
		if _, hit := n.Seed(use.page); hit != use.hit {
			t.Errorf("use %d, page %d: hit %v, want %v", i, use.page, hit, use.hit)
		}
	}
}

// TestPagesComeBack: what a user leaves, the next one gets, and the old header is
// gone.
func TestPagesComeBack(t *testing.T) {
	var n martini.NIC
	if err := n.Open(martini.Owner{}); err == nil {
		t.Error("nobody became a user")
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
			t.Fatalf("round %d: header %+v, hit %v", round, s, hit)
		}
		n.Close(job)
		if _, _, why := n.Kick(job, page); why != martini.RefusedPage {
			t.Fatalf("round %d: the page of a closed user: %v", round, why)
		}
	}
}

// TestTLBPages: a packet across two pages needs both, and translations of a closed
// process are gone.
func TestTLBPages(t *testing.T) {
	var n martini.NIC
	admit := func(addr uint32, length int) bool {
		_, hit, why := n.Admit(&martini.Header{Owner: job, Command: martini.CommandPush, Addr: addr, Length: length}, 1<<30)
		if why != martini.Admitted {
			t.Fatalf("%d bytes at %d: %v", length, addr, why)
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
		t.Error("a translation outlived its process")
	}
	for page := range uint32(1000) { // all sets are used
		admit(page*4096, 1)
	}
	for page := range uint32(1000) {
		if !admit(page*4096, 1) {
			t.Fatalf("page %d of 1000 was thrown out", page)
		}
	}
}

// TestTransfersAreCheckedWhole: the first packet says how much follows.
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
		t.Errorf("the first packet of 5001 bytes: %v", why)
	}
	if h.Rest--; refused(&n, &h) != martini.Admitted {
		t.Error("the first packet of 5000 bytes was refused")
	}
}
