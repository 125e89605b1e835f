package csession

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

// hostile is a process that sends arbitrary bytes. It records the bytes that it receives.
type hostile struct {
	io.Reader
	received bytes.Buffer
}

func (h *hostile) Write(b []byte) (int, error) { return h.received.Write(b) }

// encodeAll encodes requests, each followed by its data.
func encodeAll(calls ...any) []byte {
	var b []byte
	for _, c := range calls {
		switch c := c.(type) {
		case request:
			b = append(b, c.encode()...)
		case string:
			b = append(b, c...)
		}
	}
	return b
}

// lawful returns the requests of one rank for a whole valid run.
func lawful() []byte {
	return encodeAll(
		request{Verb: verbHello, Numbers: [3]int64{protocol}},
		request{Verb: verbAlloc, Name: "a", Numbers: [3]int64{100}},
		request{Verb: verbBind, Name: "v", Spans: []Span{{0, 0, 3}, {0, 50, 2}}},
		request{Verb: verbNewSet},
		request{Verb: verbAdd, Numbers: [3]int64{0, 0, int64(Declared)}},
		request{Verb: verbAcquire},
		request{Verb: verbWrote, Spans: []Span{{0, 1, 2}}},
		request{Verb: verbRelease, Data: 5}, "hello",
		request{Verb: verbUpdate},
		request{Verb: verbReduceInt, Numbers: [3]int64{int64(Sum), 7}},
		request{Verb: verbReduceFloat, Numbers: [3]int64{int64(Most)}, Float: 7.5},
		request{Verb: verbBarrier},
		request{Verb: verbFence},
		request{Verb: verbSpend, Numbers: [3]int64{5}},
		request{Verb: verbClear},
		request{Verb: verbAddUnordered, Numbers: [3]int64{0, 0, int64(Shared)}},
		request{Verb: verbEnd},
	)
}

// scarce returns the quota of hostile processes in tests.
func scarce() quota { return quota{bytes: 1 << 16, items: 1 << 10} }

// serveAll serves one process per rank. Each process sends the given bytes. serveAll returns the
// processes with the bytes that they received.
func serveAll(t *testing.T, limit quota, sent ...[]byte) ([]*hostile, error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ranks := make([]*hostile, len(sent))
	for i, b := range sent {
		ranks[i] = &hostile{Reader: bytes.NewReader(b)}
	}
	_, err := fagus.Run(ctx, fagus.Config{Nodes: len(sent)}, func(n *fagus.Node) error { return serve(n, ranks[n.Rank()], limit) })
	if ctx.Err() != nil {
		t.Fatal("Serve does not return")
	}
	return ranks, err
}

// answers decodes the responses that a process received.
func answers(t *testing.T, h *hostile) (all []response) {
	for {
		a, err := readResponse(&h.received)
		if errors.Is(err, io.EOF) {
			return all
		} else if err != nil || a.Data < 0 || a.Data > int64(h.received.Len()) {
			t.Fatalf("answer %d: %+v: %v", len(all), a, err)
		}
		h.received.Next(int(a.Data))
		all = append(all, a)
	}
}

// TestServeLawful checks that lawful, the seed of the fuzz target, is a valid run.
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
	if len(all) != 17 || all[0].Numbers != [2]int64{0, 1} || all[5].Data != 5 || all[8].Data != 5 || all[9].Numbers[0] != 7 || all[10].Float != 7.5 {
		t.Errorf("the answers to a valid run are %+v", all)
	}
}

// TestServeQuota checks that the quota limits what a process may allocate, and that clearing a
// set gives quota back.
func TestServeQuota(t *testing.T) {
	calls := []any{
		request{Verb: verbHello, Numbers: [3]int64{protocol + 1}},
		request{Verb: verbAlloc, Name: "a", Numbers: [3]int64{1 << 15}},
		request{Verb: verbAlloc, Name: "b", Numbers: [3]int64{1<<15 + 1}},
		request{Verb: verbAlloc, Name: "b", Numbers: [3]int64{1 << 15}},
		request{Verb: verbAlloc, Name: "c", Numbers: [3]int64{1}},
		request{Verb: verbSpend, Numbers: [3]int64{1<<63 - 1}},
	}
	want := []Code{Job, OK, Memory, OK, Memory, Argument}
	for range 2000 {
		calls, want = append(calls, request{Verb: verbNewSet}), append(want, OK)
	}
	for i := range want[6:] {
		if i >= int(scarce().items)-2 { // two of the items are arrays
			want[6+i] = Memory
		}
	}
	calls, want = append(calls, request{Verb: verbEnd}), append(want, OK)
	ranks, err := serveAll(t, scarce(), encodeAll(calls...))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers(t, ranks[0]) {
		if a.Code != want[i] {
			t.Fatalf("answer %d: %v %s, want %v", i, a.Code, a.Text, want[i])
		}
	}

	begin := lawful()
	begin = begin[:len(begin)-2*requestBytes] // without the final clear and end
	calls, want = nil, nil
	for range 5 * scarce().items {
		calls = append(calls, request{Verb: verbClear}, request{Verb: verbAdd, Numbers: [3]int64{0, 0, int64(Declared)}},
			request{Verb: verbAcquire}, request{Verb: verbWrote, Spans: []Span{{0, 0, 1}}}, request{Verb: verbRelease, Data: 5}, "hello")
	}
	ranks, err = serveAll(t, scarce(), append(begin, encodeAll(append(calls, request{Verb: verbEnd})...)...))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers(t, ranks[0]) {
		if a.Code != OK {
			t.Fatalf("answer %d: %v %s", i, a.Code, a.Text)
		}
	}
}

// TestServeTorn checks that truncated requests and wrong data sizes end the connection with a
// reason.
func TestServeTorn(t *testing.T) {
	all := lawful()
	for n := range len(all) {
		if _, err := serveAll(t, scarce(), all[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are accepted as complete", n, len(all))
		}
	}
	for says, sent := range map[string][]byte{
		"3 bytes announced, want 0":           encodeAll(request{Verb: verbBarrier, Data: 3}, "abc"),
		"2 bytes announced, want 0":           encodeAll(request{Verb: verbRelease, Data: 2, Numbers: [3]int64{-1}}, "ab"),
		"-1 bytes announced, want 0":          encodeAll(request{Verb: verbNewSet, Data: -1}),
		"a name of 32769 bytes and 0 spans":   encodeAll(request{Verb: verbAlloc, Name: string(make([]byte, MaxName+1))}),
		"a name of 0 bytes and 1048577 spans": encodeAll(request{Verb: verbWrote, Spans: make([]Span, MaxSpans+1)}),
		"unexpected EOF":                      encodeAll(request{Verb: verbAlloc, Name: "abc"})[:requestBytes],
	} {
		if _, err := serveAll(t, scarce(), sent); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Serve returns %v, want an error with %q", err, says)
		}
	}
	ranks, err := serveAll(t, scarce(), encodeAll(request{Verb: 200}, request{Verb: verbEnd}))
	if all := answers(t, ranks[0]); err != nil || len(all) != 2 || all[0].Code != Internal {
		t.Errorf("a request with an unknown verb is answered with %+v, and Serve returns %v", all, err)
	}
}

// mutate changes, removes or repeats some of the bytes b.
func mutate(r *rand.Rand, b []byte) []byte {
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b))
		n := r.IntN(min(len(b)-at, 2*requestBytes))
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

// TestServeHostile serves two processes that send almost valid requests. Each must receive a
// response, and the run must end.
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

// FuzzServe serves a process that sends arbitrary bytes. The run must end, the process must
// receive valid responses, and memory use must stay within the quota and the bytes sent. A Client
// that receives arbitrary bytes must not panic.
func FuzzServe(f *testing.F) {
	f.Add(lawful())
	f.Add(encodeAll(request{Verb: verbHello, Numbers: [3]int64{protocol}}, request{Verb: verbAlloc, Name: "a", Numbers: [3]int64{1 << 62}}, request{Verb: verbNewSet},
		request{Verb: verbAdd}, request{Verb: verbAcquire}, request{Verb: verbSpend, Numbers: [3]int64{-1}}, request{Verb: verbEnd}))
	f.Add((&response{Numbers: [2]int64{0, 1}}).encode())
	f.Fuzz(func(t *testing.T, sent []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ranks, _ := serveAll(t, scarce(), sent)
		answers(t, ranks[0])
		runtime.ReadMemStats(&after)
		if made, may := after.TotalAlloc-before.TotalAlloc, uint64(32<<20+4<<10*len(sent)); made > may {
			t.Errorf("Serve allocates %d bytes for %d received bytes: want at most %d", made, len(sent), may)
		}
		hear(sent)
	})
}

// hear gives a Client arbitrary bytes as the responses of its server.
func hear(received []byte) {
	c, err := Connect(&hostile{Reader: bytes.NewReader(received)}, func(bytes int) ([]byte, error) { return make([]byte, bytes), nil })
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
		_ = errors.Join(c.Add(set, v, Exclusive), c.Acquire(set), c.Release(set), c.Update(), c.End())
	}
}
