package phase_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/phase"
)

// bulkWorld is the moment at which rank 1 has pushed 8 bytes of a, which begins
// at byte 100 of the array, into rank 0's bulk memory. The notice has not landed.
func bulkWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	for _, line := range []string{
		"ranks 2 push 4096", "bind a 100 200", "bind b 300 400",
		"acquire 1 a:exclusive", "acquire 0", "stabilize", "write 1 148 abcdefgh", "release 1",
		"acquire 0 a:shared", "acquire 1", "land 1->0", "land 0->1",
		"land 1->0", // the PUSH
		"land 1->1", // done: rank 1 posts the notice, and clears the word
	} {
		if err := w.do(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
	}
	w.out.Reset()
	return w
}

// landWord lands what from has posted to to and lets change have the last word in
// the LLCM before rank to looks. Flags of rings lie below.
func (w *world) landWord(t *testing.T, from, to int, change func(uint64) uint64) {
	t.Helper()
	w.changeWord(t, to, func() { w.land(from, to) }, change)
}

// changeWord lets change have the last word in rank's LLCM that land changes,
// and then rank look.
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
	t.Fatalf("nothing has landed at %d", rank)
}

func same(word uint64) uint64 { return word }

// hostileMessage is the message of bulkWorld, after a change.
func hostileMessage(t *testing.T, change func(message []byte), notice func(uint64) uint64) *world {
	t.Helper()
	w := bulkWorld(t)
	change(w.ranks[0].port.banks[1])
	w.landWord(t, 1, 0, notice)
	return w
}

// TestHostileBulkHarness shows that the message gets through unchanged, so that
// the refusals below mean something.
func TestHostileBulkHarness(t *testing.T) {
	w := hostileMessage(t, func([]byte) {}, same)
	if w.ranks[0].call != 0 || string(w.ranks[0].mem[148:156]) != "abcdefgh" {
		t.Errorf("rank 0 has %q and waits for %s", w.ranks[0].mem[148:156], w.ranks[0].engine.Waiting())
	}
}

// TestBadMessagesAreErrors breaks the message in one way each.
func TestBadMessagesAreErrors(t *testing.T) {
	put := binary.LittleEndian.PutUint64
	const base = 4096 // of the array
	for want, change := range map[string]func(m []byte){
		"2 pieces in a message of 32 bytes":                     func(m []byte) { put(m, 2) },
		"18446744073709551615 pieces in a message":              func(m []byte) { put(m, 1<<64-1) },
		"its pieces take 24 bytes less than its 32":             func(m []byte) { put(m, 0) },
		"piece 0 has 0 bytes, and 8 are left":                   func(m []byte) { put(m[16:], 0) },
		"piece 0 has 9 bytes, and 8 are left":                   func(m []byte) { put(m[16:], 9) },
		"piece 0 has 9223372036854775808 bytes, and 8 are left": func(m []byte) { put(m[16:], 1<<63) },
		"no variable guards":                                    func(m []byte) { put(m[8:], base+96) },
		`data of "b", which are not due`:                        func(m []byte) { put(m[8:], base+300) },
		"2 versions old, out of turn":                           func(m []byte) { put(m[8:], base+148+2<<48) },
	} {
		w := hostileMessage(t, change, same)
		if got := w.out.String(); !strings.Contains(got, "a message of rank 1: ") || !strings.Contains(got, want) {
			t.Errorf("rank 0 said %q, want %q", got, want)
		}
		if _, err := w.ranks[0].engine.Step(); err == nil {
			t.Errorf("%s: the engine goes on", want)
		}
		if slices.ContainsFunc(w.ranks[0].mem, func(b byte) bool { return b != 0 }) {
			t.Errorf("%s: something was written", want)
		}
	}
}

// TestBadNoticesAreErrors breaks the notice of the message in one way each.
func TestBadNoticesAreErrors(t *testing.T) {
	const ends, last = 1 << 32, 1 << 33
	for want, change := range map[string]func(uint64) uint64{
		"has pushed 4096 bytes of a message, after 0, to a place of 160": func(w uint64) uint64 { return w - 32 + 4096 },
		"has pushed 31 bytes of a message":                               func(w uint64) uint64 { return w - 1 },
		"ends a message after 0 bytes (true)":                            func(w uint64) uint64 { return w - 32 },
		"32 bytes (false), and with it what it owes (true)":              func(w uint64) uint64 { return w &^ ends },
		"32 bytes (true), and with it what it owes (false)":              func(w uint64) uint64 { return w &^ last },
	} {
		w := hostileMessage(t, func([]byte) {}, change)
		if got := w.out.String(); !strings.Contains(got, want) {
			t.Errorf("rank 0 said %q, want %q", got, want)
		}
	}
}

// TestStaleNoticesAreNoNews lets a word of another phase, or message, stand
// where the notice is due.
func TestStaleNoticesAreNoNews(t *testing.T) {
	for _, change := range []uint64{1 << 34, 1 << 40} {
		w := hostileMessage(t, func([]byte) {}, func(w uint64) uint64 { return w ^ change })
		if w.ranks[0].call == 0 || w.out.Len() > 0 {
			t.Errorf("rank 0 took a notice with tag changed by %#x, and said %q", change, w.out.String())
		}
	}
}

// grantWorld is the moment at which rank 0 has posted the grant for the message of
// bulkWorld.
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

// TestBadGrantsAreErrors lets rank 0 grant places where it has none.
func TestBadGrantsAreErrors(t *testing.T) {
	for want, change := range map[string]func(uint64) uint64{
		"grants 32 bytes at offset 65528":                         func(w uint64) uint64 { return w - 8 },
		"grants 32 bytes at offset 65537":                         func(w uint64) uint64 { return w + 1 },
		"grants 32 bytes at offset 69608":                         func(w uint64) uint64 { return w + 4096 - 24 },
		"grants 32 bytes at offset 65536, with reserved bits 2":   func(w uint64) uint64 { return w | 1<<33 },
		"grants 32 bytes at offset 4294967288, with reserved bit": func(w uint64) uint64 { return w | 0xfffffff8 },
	} {
		w := grantWorld(t)
		w.landWord(t, 0, 1, change)
		if got := w.out.String(); !strings.Contains(got, "phase: rank 0 "+want) || w.ranks[1].port.pushes > 0 {
			t.Errorf("rank 1 said %q after %d PUSHes, want %q", got, w.ranks[1].port.pushes, want)
		}
	}
}

// TestBadDoneIsAnError lets a done word say something else than its PUSH.
func TestBadDoneIsAnError(t *testing.T) {
	w := grantWorld(t)
	w.landWord(t, 0, 1, same)
	w.changeWord(t, 1, func() { w.land(1, 0) }, func(n uint64) uint64 { return n + 8 })
	if got := w.out.String(); !strings.Contains(got, "phase: rank 0 was pushed 32 bytes, and 40 are done") {
		t.Errorf("rank 1 said %q", got)
	}
}

// FuzzMessages puts any message and notice before rank 0: at most what is due is
// written.
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
				t.Fatalf("byte %d was written, outside of the variable that was due", i)
			}
		}
	})
}

// TestTransferNeedsThePort makes engines on ports that cannot do what they are
// asked for. The error says what to do.
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
				t.Errorf("%+v: %v", test, err)
			} else if l := w.ranks[0].engine.Layout(); l.Peers != 9 {
				t.Errorf("%+v: rings to %d peers", test, l.Peers)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}
