package phase_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/phase"
)

// bulkWorld returns two ranks after rank 1 has pushed 8 bytes of variable a, which begins at byte
// 100 of the array, into rank 0's bulk memory. The notice has not landed.
func bulkWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	for _, line := range []string{
		"ranks 2 push 4096", "bind a 100 200", "bind b 300 400",
		"acquire 1 a:exclusive", "acquire 0", "stabilize", "write 1 148 abcdefgh", "release 1",
		"acquire 0 a:shared", "acquire 1", "land 1->0", "land 0->1",
		"land 1->0", // the PUSH
		"land 1->1", // the done word: rank 1 posts the notice, and clears the word
	} {
		if err := w.do(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
	}
	w.out.Reset()
	return w
}

// landWord lands the posts from rank from to rank to. It applies change to the highest word of the
// LLCM that changes, which is above the flags of rings, and then steps rank to.
func (w *world) landWord(t *testing.T, from, to int, change func(uint64) uint64) {
	t.Helper()
	w.changeWord(t, to, func() { w.land(from, to) }, change)
}

// changeWord calls land, which changes words of the rank's LLCM, applies change to the highest of
// them, and then steps the rank.
func (w *world) changeWord(t *testing.T, rank int, land func(), change func(uint64) uint64) {
	t.Helper()
	llcm := w.ranks[rank].port.llcm
	before := slices.Clone(llcm)
	land()
	for at := len(llcm) - 8; at >= 0; at -= 8 {
		if old, word := before[at:at+8], llcm[at:at+8]; !slices.Equal(old, word) {
			binary.LittleEndian.PutUint64(word, change(binary.LittleEndian.Uint64(word)))
			if err := w.step(rank); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("nothing has landed at rank %d", rank)
}

func same(word uint64) uint64 { return word }

// hostileMessage returns bulkWorld after the message and the notice are changed and have landed.
func hostileMessage(t *testing.T, change func(message []byte), notice func(uint64) uint64) *world {
	t.Helper()
	w := bulkWorld(t)
	change(w.ranks[0].port.banks[1])
	w.landWord(t, 1, 0, notice)
	return w
}

// TestHostileBulkHarness checks that rank 0 accepts the unchanged message. Otherwise the other
// tests would prove nothing.
func TestHostileBulkHarness(t *testing.T) {
	w := hostileMessage(t, func([]byte) {}, same)
	if w.ranks[0].call != 0 || string(w.ranks[0].mem[148:156]) != "abcdefgh" {
		t.Errorf("rank 0 has %q and waits for %s", w.ranks[0].mem[148:156], w.ranks[0].engine.Waiting())
	}
}

// TestBadMessagesAreErrors sends messages with one fault each.
func TestBadMessagesAreErrors(t *testing.T) {
	put := binary.LittleEndian.PutUint64
	const base = 4096 // the address of the array
	for want, change := range map[string]func(m []byte){
		"2 pieces in a message of 32 bytes":                     func(m []byte) { put(m, 2) },
		"18446744073709551615 pieces in a message":              func(m []byte) { put(m, 1<<64-1) },
		"its pieces are 24 bytes shorter than its 32":           func(m []byte) { put(m, 0) },
		"piece 0 has 0 bytes, and 8 are left":                   func(m []byte) { put(m[16:], 0) },
		"piece 0 has 9 bytes, and 8 are left":                   func(m []byte) { put(m[16:], 9) },
		"piece 0 has 9223372036854775808 bytes, and 8 are left": func(m []byte) { put(m[16:], 1<<63) },
		"no variable guards":                                    func(m []byte) { put(m[8:], base+96) },
		`data of "b", which are not due`:                        func(m []byte) { put(m[8:], base+300) },
		"2 versions old, out of order":                          func(m []byte) { put(m[8:], base+148+2<<48) },
	} {
		w := hostileMessage(t, change, same)
		if got := w.out.String(); !strings.Contains(got, "a message of rank 1: ") || !strings.Contains(got, want) {
			t.Errorf("rank 0 printed %q, want %q", got, want)
		}
		if _, err := w.ranks[0].engine.Step(); err == nil {
			t.Errorf("%s: the engine goes on", want)
		}
		if slices.ContainsFunc(w.ranks[0].mem, func(b byte) bool { return b != 0 }) {
			t.Errorf("%s: something was written", want)
		}
	}
}

// TestBadNoticesAreErrors sends notices with one fault each.
func TestBadNoticesAreErrors(t *testing.T) {
	const ends, last = 1 << 32, 1 << 33
	for want, change := range map[string]func(uint64) uint64{
		"4096 bytes have landed, want whole words, from 0 to 160 bytes": func(w uint64) uint64 { return w - 32 + 4096 },
		"31 bytes have landed":                              func(w uint64) uint64 { return w - 1 },
		"bytes 0, message ends true":                        func(w uint64) uint64 { return w - 32 },
		"bytes 32, message ends false, multicast ends true": func(w uint64) uint64 { return w &^ ends },
		"bytes 32, message ends true, multicast ends false": func(w uint64) uint64 { return w &^ last },
	} {
		w := hostileMessage(t, func([]byte) {}, change)
		if got := w.out.String(); !strings.Contains(got, want) {
			t.Errorf("rank 0 printed %q, want %q", got, want)
		}
	}
}

// TestStaleNoticesAreIgnored puts the notice of another phase, or of another message, where the
// notice is due.
func TestStaleNoticesAreIgnored(t *testing.T) {
	for _, change := range []uint64{1 << 34, 1 << 40} {
		w := hostileMessage(t, func([]byte) {}, func(w uint64) uint64 { return w ^ change })
		if w.ranks[0].call == 0 || w.out.Len() > 0 {
			t.Errorf("rank 0 took a notice with tag changed by %#x, and printed %q", change, w.out.String())
		}
	}
}

// grantWorld returns two ranks after rank 0 has posted the grant for the message of bulkWorld.
func grantWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	for _, line := range []string{
		"ranks 2 push 4096", "bind a 100 200",
		"acquire 1 a:exclusive", "acquire 0", "stabilize", "write 1 148 abcdefgh", "release 1",
		"acquire 0 a:shared", "acquire 1", "land 0->1", "land 1->0",
	} {
		if err := w.do(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
	}
	w.out.Reset()
	return w
}

// TestBadGrantsAreErrors lets rank 0 grant memory outside of its bulk memory.
func TestBadGrantsAreErrors(t *testing.T) {
	for want, change := range map[string]func(uint64) uint64{
		"invalid grant of 32 bytes at offset 65528":      func(w uint64) uint64 { return w - 8 },
		"invalid grant of 32 bytes at offset 65537":      func(w uint64) uint64 { return w + 1 },
		"invalid grant of 32 bytes at offset 69608":      func(w uint64) uint64 { return w + 4096 - 24 },
		"invalid grant: its reserved bit is 1":           func(w uint64) uint64 { return w | 1<<33 },
		"invalid grant of 32 bytes at offset 4294967288": func(w uint64) uint64 { return w | 0xfffffff8 },
	} {
		w := grantWorld(t)
		w.landWord(t, 0, 1, change)
		if got := w.out.String(); !strings.Contains(got, "phase: PUSH to rank 0: "+want) || w.ranks[1].port.pushes > 0 {
			t.Errorf("rank 1 printed %q after %d PUSHes, want %q", got, w.ranks[1].port.pushes, want)
		}
	}
}

// TestBadDoneIsAnError lets the done word report another number of bytes than the PUSH moves.
func TestBadDoneIsAnError(t *testing.T) {
	w := grantWorld(t)
	w.landWord(t, 0, 1, same)
	w.changeWord(t, 1, func() { w.land(1, 0) }, func(n uint64) uint64 { return n + 8 })
	if got := w.out.String(); !strings.Contains(got, "phase: PUSH to rank 0: the done word has 40 bytes, want 32") {
		t.Errorf("rank 1 printed %q", got)
	}
}

// FuzzMessages lets any message and notice land at rank 0: no variable may change but the one that
// is due.
func FuzzMessages(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0x94, 0x10, 0, 0, 0, 0, 0, 0, 8}, uint32(32), true, true)
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 0, 0x94, 0x10, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0xa0, 0x10, 0, 0, 0, 0, 0, 0, 1}, uint32(56), true, true)
	f.Fuzz(func(t *testing.T, message []byte, n uint32, ends, last bool) {
		w := hostileMessage(t, func(m []byte) {
			for i := range m {
				m[i] = 0xee
			}
			copy(m, message)
		}, func(w uint64) uint64 {
			w = w>>34<<34 | uint64(n)
			if ends {
				w |= 1 << 32
			}
			if last {
				w |= 1 << 33
			}
			return w
		})
		for i, b := range w.ranks[0].mem {
			if b != 0 && (i < 100 || i >= 200) {
				t.Fatalf("byte %d was written, outside of the variable that is due", i)
			}
		}
	})
}

// TestTransferNeedsThePort makes engines on ports that do not support the Transfer. The error must
// say which Transfer to use instead.
func TestTransferNeedsThePort(t *testing.T) {
	for _, test := range []struct {
		ranks    int
		bulk     bool
		llcm     int
		by       phase.Transfer
		want     string
		ringless bool
	}{
		{ranks: 2, llcm: 4096, by: phase.Push, want: "needs RDMA and bulk memory; this port has 0 and 0 bytes: use auto or rings"},
		{ranks: 30, llcm: 4096, by: phase.Auto, want: "hold the slots of at most 24"},
		{ranks: 30, llcm: 4096, by: phase.Rings, bulk: true, want: "hold the slots of at most 24 by rings alone: use auto or push"},
		{ranks: 30, llcm: 4096, by: phase.Auto, bulk: true, ringless: true},
		{ranks: 30, llcm: 4096, by: phase.Push, bulk: true, ringless: true},
		{ranks: 30, llcm: 2000, by: phase.Push, bulk: true, want: "do not hold the slots of 9 neighbours"},
		{ranks: 2, llcm: 4096, by: 3, want: "transfer 3: want auto, rings or push"},
	} {
		w := &world{}
		limits := scriptLimits(test.llcm)
		if test.bulk {
			limits.RDMA, limits.Bulk = 64, 4096
		}
		err := w.begin(test.ranks, limits, test.by)
		if test.ringless {
			if err != nil {
				t.Errorf("New with %+v: error %v, want none", test, err)
			} else if l := w.ranks[0].engine.Layout(); l.Peers != 9 {
				t.Errorf("New with %+v: rings to %d peers, want 9", test, l.Peers)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("New with %+v: error %v", test, err)
		}
	}
}
