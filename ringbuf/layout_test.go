package ringbuf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

var dimmnet1 = dimmnet.Limits{Store: 8, Block: 464, LLCM: 128 << 10}

// TestAreasDoNotOverlap marks every byte of all areas of a node: no byte may be marked twice.
func TestAreasDoNotOverlap(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 4, 5, 8, 16, 33, 64, 65, 200, 745} {
		l, err := NewLayout(dimmnet1, nodes)
		if err != nil {
			t.Fatal(err)
		}
		if l.Bytes() > dimmnet1.LLCM || l.Slots < minSlots {
			t.Errorf("%d nodes: layout %+v takes %d bytes: too many, or too few slots", nodes, l, l.Bytes())
		}
		for _, owner := range []dimmnet.Rank{0, dimmnet.Rank(nodes / 2), dimmnet.Rank(nodes - 1)} {
			painted := make([]bool, dimmnet1.LLCM)
			paint := func(off dimmnet.Offset, n int) {
				for i := range n {
					if painted[int(off)+i] {
						t.Fatalf("%d nodes, %+v: byte %d is used twice", nodes, l, int(off)+i)
					}
					painted[int(off)+i] = true
				}
			}
			for peer := range dimmnet.Rank(nodes) {
				if peer == owner {
					continue
				}
				for slot := range l.Slots {
					header := l.header(owner, peer, slot)
					if header%8 != 0 || l.data(owner, peer, slot)%8 != 0 {
						t.Fatalf("%d nodes: header at %d, data at %d: not at words", nodes, header, l.data(owner, peer, slot))
					}
					paint(header, HeaderBytes)
					paint(l.data(owner, peer, slot), l.SlotBytes)
					paint(l.sent(owner, peer, slot), flagBytes)
					paint(l.received(owner, peer, slot), flagBytes)
				}
			}
		}
	}
}

func TestSlotsShrinkWithNodes(t *testing.T) {
	for nodes, want := range map[int]Layout{
		2:   {Peers: 1, Slots: 31, SlotBytes: 4096},
		3:   {Peers: 2, Slots: 15, SlotBytes: 4096},
		16:  {Peers: 15, Slots: 2, SlotBytes: 4096},
		17:  {Peers: 16, Slots: 2, SlotBytes: 3712},
		64:  {Peers: 63, Slots: 2, SlotBytes: 928},
		745: {Peers: 744, Slots: 2, SlotBytes: 64},
	} {
		got, err := NewLayout(dimmnet1, nodes)
		want.flagRow = got.flagRow
		if err != nil || got != want {
			t.Errorf("%d nodes: %+v, error %v, want %+v", nodes, got, err, want)
		}
	}
	_, err := NewLayout(dimmnet1, 746)
	if err == nil || !strings.Contains(err.Error(), "at most 745") {
		t.Errorf("746 nodes: error %v does not name the limit", err)
	}
}

// TestLayoutOfSmallPorts checks that NewLayout returns for every block and LLCM, however small.
func TestLayoutOfSmallPorts(t *testing.T) {
	for block := 1; block < 200; block++ {
		for _, llcm := range []int{8, 16, 100, 176, 200, 1000, 10_000} {
			l, err := NewLayout(dimmnet.Limits{Store: 8, Block: block, LLCM: llcm}, 2)
			if fits := llcm >= peerBytes(minSlots, MinSlotBytes); fits != (err == nil) || err == nil && l.Bytes() > llcm {
				t.Errorf("block %d, LLCM %d: %+v, error %v", block, llcm, l, err)
			}
		}
	}
}

// TestSmallerSlots checks the sequence of slot sizes that are tried, down to 64 bytes.
func TestSmallerSlots(t *testing.T) {
	for block, want := range map[int][]int{
		464:  {4096, 3712, 3248, 2784, 2320, 1856, 1392, 928, 464, 232, 112, 64},
		2048: {4096, 2048, 1024, 512, 256, 128, 64},
		1365: {4096, 4095, 2730, 1365, 680, 336, 168, 80, 64}, // 3 blocks and 1 byte
		1366: {4096, 2732, 1366, 680, 336, 168, 80, 64},       // half a block: 680, not 683
		63:   {4096, 2048, 1024, 512, 256, 128, 64},
	} {
		var got []int
		for size := MaxSlotBytes; size > 0 && len(got) < 20; size = smaller(size, block) {
			got = append(got, size)
		}
		if !slices.Equal(got, want) {
			t.Errorf("blocks of %d bytes: slots of %d, want %d", block, got, want)
		}
	}
	if got := smaller(128, 64); got != 64 {
		t.Errorf("blocks of 64 bytes: the slot size after 128 is %d", got)
	}
	if got := smaller(4096, 64); got != 4032 {
		t.Errorf("blocks of 64 bytes: the slot size after 4096 is %d", got)
	}
}

// TestFlagRows checks that a row has a byte for every slot, rounded up to words.
func TestFlagRows(t *testing.T) {
	for slots, want := range map[int]int{1: 8, 2: 8, 8: 8, 9: 16, 16: 16, 17: 24, 63: 64, 64: 64} {
		if got := flagRow(slots); got != want {
			t.Errorf("%d slots: a row of %d bytes, want %d", slots, got, want)
		}
	}
}

// TestForeignHeaders decodes headers with one fault each, and a correct one.
func TestForeignHeaders(t *testing.T) {
	for want, change := range map[string]func(w0 *uint64){
		"":                                               func(*uint64) {},
		"header from rank 3: unknown kind 0":             func(w *uint64) { *w &^= 15 },
		"header from rank 3: unknown kind 5":             func(w *uint64) { *w = *w&^15 | uint64(lastKind) },
		"header from rank 3: reserved bits 1":            func(w *uint64) { *w |= 1 << 5 },
		"header from rank 3: reserved bits 2":            func(w *uint64) { *w |= 1 << 6 },
		"header from rank 3: reserved bits 4":            func(w *uint64) { *w |= 1 << 7 },
		"header from rank 3: names rank 2 as its sender": func(w *uint64) { *w ^= 1 << 8 },
		"header from rank 3: 929 bytes in a slot":        func(w *uint64) { *w += 1 << 24 },
	} {
		w0, w1 := Header{Kind: Control, Sender: 3, Len: 928}.Encode()
		change(&w0)
		_, err := Decode(w0, w1, 3, 928)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("Decode: error %v, want %q", err, want)
		}
	}
}

// panics checks that f panics with a message that contains want.
func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if got, _ := recover().(string); !strings.Contains(got, want) || got == "" {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	f()
}

func TestHeadersThatDoNotFit(t *testing.T) {
	panics(t, "length -1", func() { Header{Len: -1}.Encode() })
	panics(t, "length 4097", func() { Header{Len: MaxSlotBytes + 1}.Encode() })
	panics(t, "address 0x1000000000000,", func() { Header{Addr: maxAddr}.Encode() })
	panics(t, "phase 16777216", func() { Header{Phase: PhaseMask + 1}.Encode() })
}

// TestPutOutOfTurn checks that Put panics if the sender is not ready, if the data do not have the
// header's length, or if they do not fit a slot.
func TestPutOutOfTurn(t *testing.T) {
	l, err := NewLayout(dimmnet.Limits{Store: 8, Block: 464, LLCM: 2048}, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSender(nil, &l, 1)
	panics(t, "put of 0 bytes with header length 0 in stage 0", func() { s.Put(Header{}, nil) })
	s.stage = ready
	panics(t, "put of 1 bytes with header length 2 in stage 1", func() { s.Put(Header{Len: 2}, make([]byte, 1)) })
	n := l.SlotBytes + 1
	panics(t, fmt.Sprintf("put of %d bytes with header length %d in stage 1", n, n), func() { s.Put(Header{Len: n}, make([]byte, n)) })
	s.Put(Header{Len: n - 1}, make([]byte, n-1))
	panics(t, "put of 0 bytes with header length 0 in stage 2", func() { s.Put(Header{}, nil) })
}

func TestHeaderRoundTrip(t *testing.T) {
	for _, h := range []Header{
		{Kind: List, Sender: 3},
		{Kind: Data, Last: true, Sender: 0xffff, Len: MaxSlotBytes, Phase: PhaseMask, Addr: maxAddr - 1, Age: MaxAge},
		{Kind: Data, Sender: 1, Len: 1, Phase: 1, Addr: 1, Age: 1},
	} {
		w0, w1 := h.Encode()
		got, err := Decode(w0, w1, h.Sender, MaxSlotBytes)
		if err != nil || got != h {
			t.Errorf("header %+v is decoded as %+v, error %v", h, got, err)
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add(uint64(0), uint64(0), uint16(0))
	w0, w1 := Header{Kind: Data, Last: true, Sender: 2, Len: 77, Phase: 9, Addr: 4096, Age: 3}.Encode()
	f.Add(w0, w1, uint16(2))
	f.Add(w0|1<<6, w1, uint16(2))
	f.Fuzz(func(t *testing.T, w0, w1 uint64, peer uint16) {
		h, err := Decode(w0, w1, dimmnet.Rank(peer), 928)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "ringbuf: header from rank ") {
				t.Fatal(err)
			}
			return
		}
		if h.Len > 928 || h.Sender != dimmnet.Rank(peer) {
			t.Fatalf("header %+v is decoded: its length or sender is invalid", h)
		}
		if v0, v1 := h.Encode(); v0 != w0 || v1 != w1 {
			t.Fatalf("words %x %x are decoded as %+v and encoded as %x %x", w0, w1, h, v0, v1)
		}
	})
}
