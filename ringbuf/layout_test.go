package ringbuf

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

var dimmnet1 = dimmnet.Limits{Store: 8, Block: 464, LLCM: 128 << 10}

// TestAreasDoNotOverlap paints every byte of every area of some nodes.
func TestAreasDoNotOverlap(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 4, 5, 8, 16, 33, 64, 65, 200, 745} {
		l, err := NewLayout(dimmnet1, nodes)
		if err != nil {
			t.Fatal(err)
		}
		if l.Bytes() > dimmnet1.LLCM || l.Slots < minSlots {
			t.Errorf("%d nodes: %+v takes %d bytes", nodes, l, l.Bytes())
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
						t.Fatalf("%d nodes: header at %d, data at %d", nodes, header, l.data(owner, peer, slot))
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

// TestLayoutOfSmallPorts ends for every block and LLCM, however small.
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

func TestHeaderRoundTrip(t *testing.T) {
	for _, h := range []Header{
		{Kind: List, Sender: 3},
		{Kind: Data, Last: true, Sender: 0xffff, Len: MaxSlotBytes, Phase: PhaseMask, Addr: maxAddr - 1, Age: MaxAge},
		{Kind: Data, Sender: 1, Len: 1, Phase: 1, Addr: 1, Age: 1},
	} {
		w0, w1 := h.Encode()
		got, err := Decode(w0, w1, h.Sender, MaxSlotBytes)
		if err != nil || got != h {
			t.Errorf("%+v became %+v, error %v", h, got, err)
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
			t.Fatalf("%+v", h)
		}
		if v0, v1 := h.Encode(); v0 != w0 || v1 != w1 {
			t.Fatalf("%x %x became %+v and then %x %x", w0, w1, h, v0, v1)
		}
	})
}
