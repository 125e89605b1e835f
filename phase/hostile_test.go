package phase_test

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// hostile lets rank 1 send slots that no engine sends. Rank 0 acquires a variable that rank 1 has
// written, so rank 1 owes it a list and data.
func hostile(t *testing.T, send func(w *world, put func(ringbuf.Header, []byte))) (mem []byte) {
	t.Helper()
	return hostileTo(t, &world{}, send)
}

// hostileTo is like hostile, in a world whose settings the caller has chosen.
func hostileTo(t *testing.T, w *world, send func(w *world, put func(ringbuf.Header, []byte))) (mem []byte) {
	t.Helper()
	for _, line := range [][]string{
		{"ranks", "2"}, {"bind", "a", "100", "200"}, {"bind", "b", "300", "400"},
		{"acquire", "1", "a:exclusive"}, {"acquire", "0"}, {"stabilize"}, {"write", "1", "150", "x"}, {"release", "1"},
	} {
		if err := w.do(line); err != nil {
			t.Fatal(err)
		}
	}
	// Rank 1's next slot is its second slot, where the test's Sender continues. All flags are
	// cleared, so all slots seem free.
	clear(w.ranks[1].port.llcm)
	layout := w.ranks[1].engine.Layout()
	out := ringbuf.NewSender(w.ranks[1].port, &layout, 0)
	out.Ready()
	out.Put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Len: 0, Last: true}, nil)
	out.Step()
	w.ranks[1].port.out[0] = nil // the first slot has landed before
	if err := w.start(0, syncvar.List{Call: syncvar.Acquire, Shared: []syncvar.ID{0}}); err != nil {
		t.Fatal(err)
	}
	send(w, func(h ringbuf.Header, data []byte) {
		h.Len = len(data)
		out.Ready()
		out.Put(h, data)
		out.Step()
		w.land(1, 0)
		if err := w.step(0); err != nil {
			t.Fatal(err)
		}
	})
	return w.ranks[0].mem
}

// FuzzSlots sends a good list or a fuzzed one, and then fuzzed slots: no variable may change but
// the one that is due.
func FuzzSlots(f *testing.F) {
	good := syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3})
	f.Add(good, uint64(4096+150), uint8(2), true, uint16(0), uint32(1), 8)
	f.Add(good, uint64(4096+99), uint8(2), true, uint16(0), uint32(1), 1)
	f.Add(good[:3], uint64(0), uint8(1), false, uint16(9), uint32(1), 0)
	f.Fuzz(func(t *testing.T, list []byte, addr uint64, kind uint8, last bool, age uint16, phaseNumber uint32, n int) {
		var digest uint64
		mem := hostile(t, func(w *world, put func(ringbuf.Header, []byte)) {
			digest = w.ranks[1].space.Digest(3)
			if string(list) == string(good) {
				list = syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Digest: digest})
			}
			put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1}, list[:min(len(list), 4096)])
			h := ringbuf.Header{Kind: ringbuf.Kind(kind & 15), Sender: 1, Last: last, Phase: phaseNumber & ringbuf.PhaseMask, Addr: addr & (1<<48 - 1), Age: age}
			data := make([]byte, uint(n)%4097)
			for i := range data {
				data[i] = 0xee
			}
			put(h, data)
			h.Addr += uint64(len(data)) / 2
			h.Addr &= 1<<48 - 1
			put(h, data)
		})
		for i, b := range mem {
			if b == 0xee && (i < 100 || i >= 200) {
				t.Fatalf("byte %d was written, outside of the variable that is due", i)
			}
		}
	})
}

// TestHostileLists sends lists with one byte changed.
func TestHostileLists(t *testing.T) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	base := syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Clean: []syncvar.ID{0}})
	for i := range base {
		for v := range 256 {
			hostile(t, func(w *world, put func(ringbuf.Header, []byte)) {
				list := append([]byte(nil), base...)
				if i < 4 || i >= 12 { // a wrong digest would hide the other changes
					good := syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Digest: w.ranks[1].space.Digest(3)})
					copy(list[4:12], good[4:12])
				}
				list[i] = byte(v)
				put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1}, list)
				put(ringbuf.Header{Kind: ringbuf.Data, Sender: dimmnet.Rank(1), Last: true, Phase: 1, Addr: random.Uint64N(1 << 14)}, make([]byte, random.IntN(300)))
			})
		}
	}
}

// TestHostileHarness checks that rank 0 accepts a good slot. Otherwise the other tests would prove
// nothing.
func TestHostileHarness(t *testing.T) {
	mem := hostile(t, func(w *world, put func(ringbuf.Header, []byte)) {
		list := syncvar.AppendList(nil, &syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Digest: w.ranks[1].space.Digest(3)})
		put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1}, list)
		put(ringbuf.Header{Kind: ringbuf.Data, Sender: 1, Last: true, Phase: 1, Addr: uint64(w.ranks[0].base) + 150}, []byte("y"))
		if w.ranks[0].call != 0 {
			t.Errorf("rank 0 is still in %v, waits for %s", w.ranks[0].call, w.ranks[0].engine.Waiting())
		}
	})
	if mem[150] != 'y' {
		t.Error("the data did not arrive")
	}
}

// TestBadSlotsAreErrors sends slots with one fault each. Rank 0 must return an error that names
// the fault, and stay failed.
func TestBadSlotsAreErrors(t *testing.T) {
	goodList := func(w *world) syncvar.List {
		return syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Digest: w.ranks[1].space.Digest(3)}
	}
	list := ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1}
	data := ringbuf.Header{Kind: ringbuf.Data, Sender: 1, Last: true, Phase: 1, Addr: 4096 + 150}
	tests := []struct {
		want string
		list func(*ringbuf.Header, *syncvar.List)
		data func(*ringbuf.Header) int // changes the header, returns the length; nil: no data slot
	}{
		{want: "sent a slot of phase 2 in phase 1", list: func(h *ringbuf.Header, _ *syncvar.List) { h.Phase = 2 }},
		{want: "at position 5, after 0", list: func(h *ringbuf.Header, _ *syncvar.List) { h.Addr = 5 }},
		{want: "sent its list of phase 7 in phase 1", list: func(_ *ringbuf.Header, l *syncvar.List) { l.Phase = 7 }},
		{want: "kind 2, which is not due", list: func(h *ringbuf.Header, _ *syncvar.List) { h.Kind = ringbuf.Data }},
		{want: "names rank 0 as its sender", list: func(h *ringbuf.Header, _ *syncvar.List) { h.Sender = 0 }},
		{want: "declared different things", list: func(_ *ringbuf.Header, l *syncvar.List) { l.Digest++ }},
		{want: "left variable 1 unchanged, but did not hold it", list: func(_ *ringbuf.Header, l *syncvar.List) { l.Clean = []syncvar.ID{1} }},
		{want: "variable 9, but its rank has made only 3", list: func(_ *ringbuf.Header, l *syncvar.List) { l.Shared = []syncvar.ID{9} }},
		{want: "Reduce that wants variables", list: func(_ *ringbuf.Header, l *syncvar.List) { l.Call, l.Shared = syncvar.Reduce, []syncvar.ID{0} }},
		{want: "no variable guards", data: func(h *ringbuf.Header) int { h.Addr = 4096 + 99; return 8 }},
		{want: "no variable guards", data: func(h *ringbuf.Header) int { return 51 }},
		{want: `data of "b", which are not due from it`, data: func(h *ringbuf.Header) int { h.Addr = 4096 + 300; return 8 }},
		{want: "2 versions old, out of order", data: func(h *ringbuf.Header) int { h.Age = 2; return 8 }},
		{want: "0 versions old, out of order", data: func(h *ringbuf.Header) int { h.Last = false; return 0 }},
		{want: "kind 1, which is not due", data: func(h *ringbuf.Header) int { h.Kind = ringbuf.List; return 8 }},
	}
	for _, test := range tests {
		hostile(t, func(w *world, put func(ringbuf.Header, []byte)) {
			h, l := list, goodList(w)
			if test.list != nil {
				test.list(&h, &l)
			}
			put(h, syncvar.AppendList(nil, &l))
			if test.data != nil {
				h = data
				put(h, make([]byte, test.data(&h)))
			}
			if got := w.out.String(); !strings.Contains(got, test.want) {
				t.Errorf("rank 0 printed %q, want %q", got, test.want)
			}
			if _, err := w.ranks[0].engine.Step(); err == nil {
				t.Errorf("%s: the engine goes on", test.want)
			}
		})
	}
}

// TestBadLocationsAreErrors sends wrong locations, and data instead of locations.
func TestBadLocationsAreErrors(t *testing.T) {
	const at = 4096 + 150
	for _, test := range []struct {
		want  string
		kind  ringbuf.Kind
		words []uint64 // address and age, length
		coop  uint64   // number of a cooperative copy
	}{
		{"Acquire done in phase 1", ringbuf.Locations, []uint64{at, 1}, 0},
		{"kind 2, which is not due", ringbuf.Data, []uint64{at, 1}, 0},
		{"sent 0 bytes of locations", ringbuf.Locations, nil, 0},
		{"sent 8 bytes of locations", ringbuf.Locations, []uint64{at}, 0},
		{"no variable guards", ringbuf.Locations, []uint64{4096 + 99, 8}, 0},
		{"no variable guards", ringbuf.Locations, []uint64{at, 51}, 0},
		{"the location of 18446744073709551615 bytes", ringbuf.Locations, []uint64{at, 1<<64 - 1}, 0},
		{`data of "b", which are not due from it`, ringbuf.Locations, []uint64{4096 + 300, 8}, 0},
		{"2 versions old, out of order", ringbuf.Locations, []uint64{at | 2<<48, 8}, 0},
		{"0 versions old, out of order", ringbuf.Locations, []uint64{at, 8, at, 8}, 0},
		{"0 versions old, out of order", ringbuf.Locations, []uint64{at, 8, at + 8, 0}, 0},
		{"sent locations with cooperative copy 1, which this port does not have", ringbuf.Locations, []uint64{at, 1}, 1},
	} {
		mem := hostileTo(t, &world{views: true}, func(w *world, put func(ringbuf.Header, []byte)) {
			l := syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Digest: w.ranks[1].space.Digest(3)}
			put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1}, syncvar.AppendList(nil, &l))
			var data []byte
			for _, x := range test.words {
				data = binary.LittleEndian.AppendUint64(data, x)
			}
			put(ringbuf.Header{Kind: test.kind, Sender: 1, Last: true, Phase: 1, Addr: test.coop}, data)
			if got := w.out.String(); !strings.Contains(got, test.want) {
				t.Errorf("rank 0 printed %q, want %q", got, test.want)
			}
		})
		for i, b := range mem {
			if b != 0 && (i < 100 || i >= 200) {
				t.Errorf("%s: byte %d is %#x, outside of the variable that is due", test.want, i, b)
			}
		}
	}
}

// TestListsInSlots sends a list byte by byte, an empty list, a list of the largest size, and a list
// that is one byte larger.
func TestListsInSlots(t *testing.T) {
	w := &world{}
	if err := w.do([]string{"ranks", "2"}); err != nil {
		t.Fatal(err)
	}
	good := syncvar.List{Call: syncvar.Acquire, Declared: 1, Digest: w.ranks[1].space.Digest(1)}
	for _, test := range []struct {
		list      []byte
		slotBytes int
		want      string
	}{
		{syncvar.AppendList(nil, &good), 1, "0: Acquire done in phase 0\n"},
		{nil, 1, "phase: rank 1 sent 0 bytes of its list at position 0, after 0"},
		{make([]byte, syncvar.MaxListBytes), 4096, "phase: list of rank 1: syncvar: list: unknown call 0"},
		{make([]byte, syncvar.MaxListBytes+1), 4096, "phase: rank 1 sent more than 8388608 bytes of lists for one phase, which is the limit"},
	} {
		if err := w.do([]string{"ranks", "2"}); err != nil {
			t.Fatal(err)
		}
		w.sendFirst(t, 1, 0, test.list, test.slotBytes)
		if got := w.out.String(); !strings.Contains(got, test.want) {
			t.Errorf("%d bytes in slots of %d: rank 0 printed %q, want %q", len(test.list), test.slotBytes, got, test.want)
		}
	}
}

// TestAgreedDeclarations checks that an error does not name declarations that the ranks agreed on
// in an earlier phase.
func TestAgreedDeclarations(t *testing.T) {
	hostile(t, func(w *world, put func(ringbuf.Header, []byte)) {
		if err := w.do([]string{"bind", "c", "500", "600"}); err != nil {
			t.Fatal(err)
		}
		l := syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 4, Digest: w.ranks[1].space.Digest(4) + 1}
		put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1}, syncvar.AppendList(nil, &l))
		if got, want := w.out.String(), `one of declarations 4 to 4 differs`; !strings.Contains(got, want) {
			t.Errorf("rank 0 printed %q, want %q", got, want)
		}
	})
}

// TestBeginDuringAPhase checks that Begin panics during a phase.
func TestBeginDuringAPhase(t *testing.T) {
	w := &world{}
	if err := w.do([]string{"ranks", "2"}); err != nil {
		t.Fatal(err)
	}
	if err := w.start(0, syncvar.List{Call: syncvar.Acquire}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if got := recover(); got != "phase: Begin called during phase 0" {
			t.Errorf("Begin during a phase: panic %v", got)
		}
	}()
	err := w.ranks[0].engine.Begin(syncvar.List{Call: syncvar.Acquire})
	t.Errorf("Begin during a phase: no panic, error %v", err)
}

// TestPiecesStayInOrder sends two pieces of one variable in the wrong order. The second piece must
// give an error.
func TestPiecesStayInOrder(t *testing.T) {
	hostile(t, func(w *world, put func(ringbuf.Header, []byte)) {
		l := syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Digest: w.ranks[1].space.Digest(3)}
		put(ringbuf.Header{Kind: ringbuf.List, Sender: 1, Last: true, Phase: 1}, syncvar.AppendList(nil, &l))
		h := ringbuf.Header{Kind: ringbuf.Data, Sender: 1, Phase: 1, Addr: 4096 + 150}
		put(h, make([]byte, 8))
		h.Addr -= 4
		put(h, make([]byte, 8))
		if got := w.out.String(); !strings.Contains(got, "out of order") {
			t.Errorf("rank 0 printed %q", got)
		}
	})
}

// TestDataOfAnotherRank lets rank 2 send data of variable a, which are due from rank 1.
func TestDataOfAnotherRank(t *testing.T) {
	w := &world{}
	for _, line := range []string{
		"ranks 3", "bind a 100 200", "bind b 300 400",
		"acquire 1 a:exclusive", "acquire 2 b:exclusive", "acquire 0", "stabilize",
		"write 1 150 x", "write 2 350 y", "release 1", "release 2",
		"acquire 0 a:shared b:shared", "acquire 1",
	} {
		if err := w.do(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
	}
	out, layout := w.ranks[2], w.ranks[2].engine.Layout()
	clear(out.port.llcm) // all flags say that slots are free, as in hostile
	ring := ringbuf.NewSender(out.port, &layout, 0)
	send := func(h ringbuf.Header, data []byte) {
		h.Sender, h.Last, h.Len = 2, true, len(data)
		if !ring.Ready() {
			t.Fatal("no slot is free")
		}
		ring.Put(h, data)
		ring.Step()
	}
	send(ringbuf.Header{Kind: ringbuf.List}, nil) // the first slot is used already
	out.port.out[0] = nil
	list := syncvar.List{Call: syncvar.Acquire, Phase: 1, Since: 1, Declared: 3, Digest: out.space.Digest(3)}
	send(ringbuf.Header{Kind: ringbuf.List, Phase: 1}, syncvar.AppendList(nil, &list))
	send(ringbuf.Header{Kind: ringbuf.Data, Phase: 1, Addr: uint64(out.base) + 150}, []byte("z"))
	for _, line := range []string{"land 1->0", "land 2->0"} {
		if err := w.do(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.out.String(); !strings.Contains(got, `rank 2 sent data of "a", which are not due from it`) {
		t.Errorf("rank 0 printed %q", got)
	}
}
