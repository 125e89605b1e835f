package target

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// hostile is a process that sends what it likes and keeps what it is told.
type hostile struct {
	io.Reader
	told bytes.Buffer
}

func (h *hostile) Write(b []byte) (int, error) { return h.told.Write(b) }

// said is what a process says that makes calls in order, each with its data.
func said(calls ...any) []byte {
	var b []byte
	for _, c := range calls {
		switch c := c.(type) {
		case question:
			b = append(b, c.encode()...)
		case string:
			b = append(b, c...)
		}
	}
	return b
}

// lawful is a conversation without a mistake, of one rank.
func lawful() []byte {
	return said(
		question{Verb: verbHello, Numbers: [3]int64{protocol}},
		question{Verb: verbAlloc, Name: "a", Numbers: [3]int64{100}},
		question{Verb: verbBind, Name: "v", Spans: []Span{{0, 0, 3}, {0, 50, 2}}},
		question{Verb: verbNewSet},
		question{Verb: verbAsk, Numbers: [3]int64{0, 0, int64(Telling)}},
		question{Verb: verbAcquire},
		question{Verb: verbWrote, Spans: []Span{{0, 1, 2}}},
		question{Verb: verbRelease, Data: 5}, "hello",
		question{Verb: verbUpdate},
		question{Verb: verbReduceInt, Numbers: [3]int64{int64(Sum), 7}},
		question{Verb: verbReduceFloat, Numbers: [3]int64{int64(Most)}, Float: 7.5},
		question{Verb: verbBarrier},
		question{Verb: verbSpend, Numbers: [3]int64{5}},
		question{Verb: verbClear},
		question{Verb: verbEnd},
	)
}

// scarce is the room that hostile processes of tests have.
func scarce() room { return room{bytes: 1 << 16, things: 1 << 10} }

// serveAll serves processes, one a rank, that send what they send, and returns what each is told.
func serveAll(t *testing.T, limit room, sent ...[]byte) ([]*hostile, error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ranks := make([]*hostile, len(sent))
	for i, b := range sent {
		ranks[i] = &hostile{Reader: bytes.NewReader(b)}
	}
	_, err := fagus.Run(ctx, fagus.Config{Nodes: len(sent)}, func(n *fagus.Node) error { return serve(n, ranks[n.Rank()], limit) })
	if ctx.Err() != nil {
		t.Fatal("it hangs")
	}
	return ranks, err
}

// answers reads what a process is told.
func answers(t *testing.T, h *hostile) (all []answer) {
	for {
		a, err := readAnswer(&h.told)
		if errors.Is(err, io.EOF) {
			return all
		} else if err != nil || a.Data < 0 || a.Data > int64(h.told.Len()) {
			t.Fatalf("answer %d: %+v: %v", len(all), a, err)
		}
		h.told.Next(int(a.Data))
		all = append(all, a)
	}
}

// TestServeLawful: what the fuzz target begins with does something.
func TestServeLawful(t *testing.T) {
	ranks, err := serveAll(t, scarce(), lawful())
	if err != nil {
		t.Fatal(err)
	}
	all := answers(t, ranks[0])
	for i, a := range all {
		if a.Code != OK {
			t.Errorf("answer %d: %v %s", i, a.Code, a.Text)
		}
	}
	if len(all) != 15 || all[0].Numbers != [2]int64{0, 1} || all[5].Data != 5 || all[8].Data != 5 || all[9].Numbers[0] != 7 || all[10].Float != 7.5 {
		t.Errorf("answers: %+v", all)
	}
}

// TestServeRoom: there is an end to what a process may have, and what it gives back it may have again.
func TestServeRoom(t *testing.T) {
	calls := []any{
		question{Verb: verbHello, Numbers: [3]int64{protocol + 1}},
		question{Verb: verbAlloc, Name: "a", Numbers: [3]int64{1 << 15}},
		question{Verb: verbAlloc, Name: "b", Numbers: [3]int64{1<<15 + 1}},
		question{Verb: verbAlloc, Name: "b", Numbers: [3]int64{1 << 15}},
		question{Verb: verbAlloc, Name: "c", Numbers: [3]int64{1}},
		question{Verb: verbSpend, Numbers: [3]int64{1<<63 - 1}},
	}
	want := []Code{Job, OK, Memory, OK, Memory, Argument}
	for range 2000 {
		calls, want = append(calls, question{Verb: verbNewSet}), append(want, OK)
	}
	for i := range want[6:] {
		if i >= int(scarce().things)-2 { // two arrays
			want[6+i] = Memory
		}
	}
	calls, want = append(calls, question{Verb: verbEnd}), append(want, OK)
	ranks, err := serveAll(t, scarce(), said(calls...))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers(t, ranks[0]) {
		if a.Code != want[i] {
			t.Fatalf("answer %d: %v %s, want %v", i, a.Code, a.Text, want[i])
		}
	}

	begin := lawful()
	begin = begin[:len(begin)-2*questionBytes] // but clear and end
	calls, want = nil, nil
	for range 5 * scarce().things {
		calls = append(calls, question{Verb: verbClear}, question{Verb: verbAsk, Numbers: [3]int64{0, 0, int64(Telling)}},
			question{Verb: verbAcquire}, question{Verb: verbWrote, Spans: []Span{{0, 0, 1}}}, question{Verb: verbRelease, Data: 5}, "hello")
	}
	ranks, err = serveAll(t, scarce(), append(begin, said(append(calls, question{Verb: verbEnd})...)...))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers(t, ranks[0]) {
		if a.Code != OK {
			t.Fatalf("answer %d: %v %s", i, a.Code, a.Text)
		}
	}
}

// TestServeTorn: what ends anywhere, or announces what does not come, ends the connection with a reason.
func TestServeTorn(t *testing.T) {
	all := lawful()
	for n := range len(all) {
		if _, err := serveAll(t, scarce(), all[:n]); err == nil {
			t.Fatalf("%d bytes of %d are taken for all", n, len(all))
		}
	}
	for says, sent := range map[string][]byte{
		"3 bytes come: the variables have 0":  said(question{Verb: verbBarrier, Data: 3}, "abc"),
		"2 bytes come: the variables have 0":  said(question{Verb: verbRelease, Data: 2, Numbers: [3]int64{-1}}, "ab"),
		"-1 bytes come: the variables have 0": said(question{Verb: verbNewSet, Data: -1}),
		"a name of 32769 bytes and 0 spans":   said(question{Verb: verbAlloc, Name: string(make([]byte, MaxName+1))}),
		"a name of 0 bytes and 1048577 spans": said(question{Verb: verbWrote, Spans: make([]Span, MaxSpans+1)}),
		"unexpected EOF":                      said(question{Verb: verbAlloc, Name: "abc"})[:questionBytes],
	} {
		if _, err := serveAll(t, scarce(), sent); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	ranks, err := serveAll(t, scarce(), said(question{Verb: 200}, question{Verb: verbEnd}))
	if all := answers(t, ranks[0]); err != nil || len(all) != 2 || all[0].Code != Internal {
		t.Errorf("no such call: %+v: %v", all, err)
	}
}

// mutate changes some bytes, leaves some out, or says some twice.
func mutate(r *rand.Rand, b []byte) []byte {
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b))
		n := r.IntN(min(len(b)-at, 2*questionBytes))
		switch r.IntN(4) {
		case 0:
			b = slices.Delete(b, at, at+n)
		case 1:
			b = slices.Insert(b, at, slices.Clone(b[at:at+n])...)
		default:
			b[at] ^= 1 << r.IntN(8)
		}
		if len(b) == 0 {
			return b
		}
	}
	return b
}

// TestServeHostile: of two processes that say what is nearly right each is told something, and the run ends.
func TestServeHostile(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 2000 {
		first, second := mutate(r, lawful()), lawful()
		if r.IntN(2) == 0 {
			second = mutate(r, second)
		}
		ranks, _ := serveAll(t, scarce(), first, second)
		for _, p := range ranks {
			answers(t, p)
		}
		if t.Failed() {
			t.Fatalf("seed %d, pair %d:\n%x\n%x", seed, i, first, second)
		}
	}
}

// FuzzServe lets a process send anything: the run ends, what it is told are answers, and memory is used only as room and bytes
// allow. A Client that is told the same does not break either.
func FuzzServe(f *testing.F) {
	f.Add(lawful())
	f.Add(said(question{Verb: verbHello, Numbers: [3]int64{protocol}}, question{Verb: verbAlloc, Name: "a", Numbers: [3]int64{1 << 62}}, question{Verb: verbNewSet},
		question{Verb: verbAsk}, question{Verb: verbAcquire}, question{Verb: verbSpend, Numbers: [3]int64{-1}}, question{Verb: verbEnd}))
	f.Add((&answer{Numbers: [2]int64{0, 1}}).encode())
	f.Fuzz(func(t *testing.T, sent []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ranks, _ := serveAll(t, scarce(), sent)
		answers(t, ranks[0])
		runtime.ReadMemStats(&after)
		if made, may := after.TotalAlloc-before.TotalAlloc, uint64(32<<20+4<<10*len(sent)); made > may {
			t.Errorf("%d bytes for %d that came: at most %d", made, len(sent), may)
		}
		hear(sent)
	})
}

// hear lets a Client be told anything. What it makes of that does not matter, if it is a code.
func hear(told []byte) {
	c, err := Connect(&hostile{Reader: bytes.NewReader(told)}, func(bytes int) ([]byte, error) { return make([]byte, bytes), nil })
	if err != nil {
		return
	}
	a, err := c.Alloc("a", 100)
	if err != nil {
		return
	}
	v, err1 := c.Bind("v", Span{a, 0, 10})
	set, err2 := c.NewSet()
	if errors.Join(err1, err2) == nil {
		_ = errors.Join(c.Ask(set, v, Exclusive), c.Acquire(set), c.Release(set), c.Update(), c.End())
	}
}
