package phase_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// treeWorld returns twelve ranks whose lists travel over a tree.
func treeWorld(t *testing.T) *world {
	t.Helper()
	w := &world{tree: true}
	limits := scriptLimits(16 << 10)
	limits.RDMA, limits.Bulk = 64, 4096
	if err := w.begin(12, limits, phase.Auto); err != nil {
		t.Fatal(err)
	}
	return w
}

// hostileBundle lets one rank send a bundle of lists to a neighbour, in a tree of 12 ranks. It
// returns the output of the neighbour.
func hostileBundle(t *testing.T, from, to int, bundle []byte) string {
	t.Helper()
	w := treeWorld(t)
	w.ranks[from].port.Store(dimmnet.Rank(to), w.ranks[to].engine.SignalOffset(dimmnet.Rank(from)), phase.Follows(0), dimmnet.WordBytes)
	w.sendFirst(t, from, to, bundle, w.ranks[from].engine.Layout().SlotBytes)
	return w.out.String()
}

// TestBadSignals sends rank 9 signals of rank 1 that are invalid, or not of the present phase.
func TestBadSignals(t *testing.T) {
	const now, set, follows, lag = 0, 1 << 39, 1 << 32, 1
	for word, want := range map[uint64]string{
		set:                         "invalid signal",
		set | follows | lag:         "invalid signal",
		set | follows | 8<<16:       "invalid signal",
		set | lag | 7<<16:           "invalid signal",
		set | lag | 456<<16:         "invalid signal",
		set | 456<<16:               "invalid signal",
		set | 3<<16:                 "rank 1 sent a bundle of 3 bytes that says it has 0 bytes of lists",
		set | lag | 1<<33:           "invalid signal",
		set | lag:                   "bundle of rank 1: rank 0 does as 7f01, want as 0 phases before",
		set | lag | 8<<16:           "bundle of rank 1: rank 0 does as 7f01, want as 0 phases before",
		set | (now+1)<<40 | follows: "", // of the next phase: not due
		follows | lag:               "",
	} {
		w := treeWorld(t)
		if err := w.start(9, syncvar.List{Call: syncvar.Acquire}); err != nil {
			t.Fatal(err)
		}
		w.ranks[1].port.Store(9, w.ranks[9].engine.SignalOffset(1), word, dimmnet.WordBytes)
		w.land(1, 9)
		if err := w.step(9); err != nil {
			t.Fatal(err)
		}
		if got := w.out.String(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("signal %#x: rank 9 printed %q, want %q", word, got, want)
		}
	}
}

// sendFirst lets the receiver begin its first phase. The sender then sends list in slots of at most
// slotBytes, until the receiver returns an error.
func (w *world) sendFirst(t *testing.T, from, to int, list []byte, slotBytes int) {
	t.Helper()
	if err := w.start(to, syncvar.List{Call: syncvar.Acquire}); err != nil {
		t.Fatal(err)
	}
	layout := w.ranks[from].engine.Layout()
	ring := ringbuf.NewSender(w.ranks[from].port, &layout, dimmnet.Rank(to))
	for pos, last := 0, false; !last && ring.Ready(); {
		h := ringbuf.Header{Kind: ringbuf.List, Sender: dimmnet.Rank(from), Addr: uint64(pos), Len: min(len(list)-pos, slotBytes)}
		last = pos+h.Len == len(list)
		h.Last = last
		ring.Put(h, list[pos:pos+h.Len])
		ring.Step()
		pos += h.Len
		w.land(from, to)
		if err := w.step(to); err != nil {
			t.Fatal(err)
		}
		w.land(to, from)
	}
}

// goodEntries returns entries of the empty lists of ranks in phase 0.
func goodEntries(ranks ...uint64) (b []byte) {
	var w world
	if err := w.begin(1, scriptLimits(2048), phase.Auto); err != nil {
		panic(err)
	}
	for _, r := range ranks {
		list := syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Declared: 1, Digest: w.ranks[0].space.Digest(1)})
		b = binary.AppendUvarint(b, r)
		b = binary.AppendUvarint(b, uint64(len(list)))
		b = append(b, list...)
	}
	return b
}

// appendRun appends a run of count lists to the entries of a bundle.
func appendRun(b []byte, count uint64, steps ...byte) []byte {
	b = binary.AppendUvarint(b, 1<<16+count)
	b = binary.AppendUvarint(b, uint64(len(steps)))
	return append(b, steps...)
}

// bundleOf returns a bundle of entries and words.
func bundleOf(entries []byte, words ...byte) []byte {
	return append(append(binary.AppendUvarint(nil, uint64(len(entries))), entries...), words...)
}

func goodBundle(ranks ...uint64) []byte { return bundleOf(goodEntries(ranks...)) }

// TestBadBundlesAreErrors sends bundles that do not begin with the list of their top, that have
// lists of ranks outside of the sender's subtree, or that end early. Ranks 9 to 11 are below
// rank 1.
func TestBadBundlesAreErrors(t *testing.T) {
	for _, test := range []struct {
		from, to int
		bundle   []byte
		want     string // "" for a good bundle
	}{
		{9, 1, goodBundle(9), ""},
		{1, 0, goodBundle(1), ""},
		{1, 0, goodBundle(1, 10, 11, 9), ""},
		{9, 1, goodBundle(10), "rank 9 sent a list of rank 10, which is not due from it"},
		{1, 0, goodBundle(9, 1), "rank 1 sent a list of rank 9, which is not due from it"},
		{1, 0, goodBundle(1, 2), "rank 1 sent a list of rank 2, which is not due from it"},
		{1, 0, goodBundle(1, 9, 10, 12), "sent a list of rank 12"},
		{1, 0, goodBundle(1, 9, 10, 1<<40), "sent a list of rank 1099511627776"},
		{1, 9, goodBundle(1), "bundle of rank 1: a list of rank 1, which is not due"},
		{9, 1, bundleOf([]byte{9}), "bundle of lists ends early, in the list of rank 9"},
		{9, 1, bundleOf([]byte{0x80}), "ends early\n"},
		{9, 1, bundleOf([]byte{9, 3, 1}), "bundle of lists ends early, in the list of rank 9"},
		{9, 1, []byte{0}, "sent a bundle of 1 bytes that says it has 0 bytes of lists"},
		{9, 1, goodBundle(9)[:5], "bytes that says it has"},
		{9, 1, []byte{0x80}, "sent a bundle of 1 bytes that says it has 0 bytes of lists"},
		{9, 1, bundleOf(goodEntries(9), 1, 2, 3), "rank 9 sent 3 bytes of words for 1 ranks"},
		{9, 1, bundleOf(goodEntries(9), 1, 2, 3, 4, 5, 6, 7, 8), ""}, // rank 1 is in no Reduce
		{1, 9, bundleOf(goodEntries(0), 1, 2, 3, 4, 5, 6, 7, 8), "rank 1 sent 8 bytes of words for 12 ranks"},
		{1, 9, bundleOf(append(goodEntries(0), 10, 2, 0x7f, 1)), "bundle of rank 1: rank 10 does as 7f01, want as 0 phases before"},
		{1, 9, bundleOf([]byte{0, 2, 0x7f, 1}), "bundle of rank 1: rank 0 does as 7f01, want as 0 phases before"},
		{1, 9, bundleOf(appendRun(goodEntries(0), 11)), "a run after rank 0 has 0 steps for an age and 0 IDs"},
		{1, 9, bundleOf(appendRun(goodEntries(0), 11, 0, 2)), "a run after rank 0 has 2 steps for an age and 0 IDs"},
		{1, 9, bundleOf(appendRun(goodEntries(0), 11, 1)), "list of rank 1: syncvar: list: the phase"},
		{1, 9, bundleOf(appendRun(goodEntries(0, 1), 1<<16-1, 0)), "a run of 65535 lists after rank 1"},
		{1, 9, bundleOf(appendRun(goodEntries(0), 11, 0x80)), "the steps of a run after rank 0 end early"},
		{1, 9, bundleOf(appendRun(goodEntries(0, 1), 1<<16+10, 1, 0, 0)), "9: Acquire done in phase 0"},
		{1, 9, bundleOf(appendRun(goodEntries(0), 1<<16+11, 1, 0, 0)), "a run of 11 lists after rank 0"},
		{1, 9, bundleOf(appendRun(goodEntries(0, 2), 1<<16+9, 1, 0, 0)), "a run of 9 lists after rank 2"},
		{1, 9, bundleOf(appendRun(goodEntries(0, 1), 1<<16+10, 4, 0, 0)), "the steps of a run after rank 1 end early"},
		{1, 9, bundleOf(appendRun(goodEntries(0, 1), 1<<16+10, 1, 0, 0, 0)), "a run after rank 1 has 2 steps for an age and 0 IDs"},
		{1, 9, bundleOf(appendRun(goodEntries(0, 1), 1<<16)), "a run of 0 lists after rank 1"},
		{1, 9, bundleOf(appendRun(appendRun(goodEntries(0), 1, 0), 10, 0)), "a run of 10 lists after rank 0"},
		{1, 9, bundleOf(appendRun(nil, 11, 0)), "a run of 11 lists after rank 0"},
		{1, 9, bundleOf(appendRun(goodEntries(0), 12, 0)), "a list of rank 12, which is not due"},
		{1, 9, bundleOf(appendRun(goodEntries(0), 11, 0)), "9: Acquire done in phase 0"},
		{9, 1, bundleOf(appendRun(goodEntries(9), 1, 0)), "rank 9 sent a list of rank 10, which is not due from it"},
		{9, 1, bundleOf(appendRun(nil, 1, 0)), "rank 9 sent a list of rank 65537, which is not due from it"},
		{1, 0, bundleOf(appendRun(goodEntries(1, 9), 2, 0)), ""},
		{1, 0, bundleOf(appendRun(goodEntries(1, 9), 1<<16+2, 1, 0, 0)), ""},
		{1, 0, bundleOf(appendRun(goodEntries(1, 9), 1<<16+3, 1, 0, 0)), "rank 1 sent a list of rank 12, which is not due from it"},
		{1, 0, bundleOf(appendRun(goodEntries(1, 9), 3, 0)), "rank 1 sent a list of rank 12, which is not due from it"},
		{1, 0, bundleOf(appendRun(goodEntries(1), 1, 0)), "rank 1 sent a list of rank 2, which is not due from it"},
		{1, 9, bundleOf([]byte{0, 1, 9}), "list of rank 0: syncvar: list: unknown call 9"},
		{1, 9, bundleOf(append(goodEntries(0), 9, 15, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0)), "as the list of rank 9, which has sent 01"},
		{1, 9, bundleOf(append(goodEntries(0), 11, 15, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0)), "list of rank 11: syncvar: list: age 0 in a tree, want 1"},
		{1, 9, bundleOf(append(goodEntries(0), 11, 1, 9)), "list of rank 11: syncvar: list: unknown call 9"},
	} {
		if got := hostileBundle(t, test.from, test.to, test.bundle); !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%d->%d %x: printed %q, want %q", test.from, test.to, test.bundle, got, test.want)
		}
	}
}

func FuzzBundles(f *testing.F) {
	f.Add(uint8(9), goodBundle(9))
	f.Add(uint8(2), goodBundle(2, 3))
	f.Add(uint8(8), bundleOf(appendRun(goodEntries(0), 11, 0)))
	f.Add(uint8(0), bundleOf(appendRun(goodEntries(1, 9), 2, 0)))
	f.Add(uint8(8), bundleOf(appendRun(goodEntries(0, 1), 1<<16+10, 1, 0, 0)))
	f.Add(uint8(2), []byte{2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, from uint8, bundle []byte) {
		from = 1 + from%11
		to, _ := ringbuf.Tree{Nodes: 12, Arity: 8}.Parent(dimmnet.Rank(from))
		hostileBundle(t, int(from), int(to), bundle)
	})
}
