package threaded

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet/frametest"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestDamagedSlots gives an engine every message and every piece of data with any one
// byte changed, or cut short. It may refuse them; it writes nowhere but where data
// are due.
func TestDamagedSlots(t *testing.T) {
	messages := []message{
		{op: request, mode: syncvar.Exclusive, rank: 1, id: 0, declared: 5, digest: 7},
		{op: request, mode: syncvar.Shared, flag: true, rank: 2, id: 1},
		{op: grant, id: 1, version: 5, since: 4, flag: true},
		{op: grant, id: 1, version: 5},
		{op: release, id: 0},
		{op: arrive, call: syncvar.Update, declared: 5, digest: 7},
		{op: arrive, call: syncvar.Reduce, declared: 5, digest: 7, word: 9},
		{op: leave, call: syncvar.End},
	}
	fresh := func() (*Engine, []byte) {
		e := newTestEngine(t, 0)
		if err := e.ask(1, syncvar.Want{Mode: syncvar.Exclusive}); err != nil { // rank 1 owns it
			t.Fatal(err)
		}
		return e, e.space.Bytes(consistency.Range{Lo: consistency.PageBytes, Hi: consistency.PageBytes + 400})
	}
	tried := 0
	for _, m := range messages {
		for damaged := range frametest.Every(m.append(nil)) {
			e, _ := fresh()
			_ = e.act(incoming{1, ringbuf.Header{Kind: ringbuf.Control, Sender: 1, Len: len(damaged)}, bytes.Clone(damaged)})
			tried++
		}
	}
	w0, w1 := ringbuf.Header{Kind: ringbuf.Data, Sender: 1, Len: 8, Addr: 4196, Age: 1, Last: true}.Encode()
	for damaged := range frametest.Every(wordsOf(w0, w1)) {
		if len(damaged) < 16 {
			continue // a header is two words
		}
		h, err := ringbuf.Decode(binary.LittleEndian.Uint64(damaged), binary.LittleEndian.Uint64(damaged[8:]), 1, 4096)
		if err != nil {
			continue
		}
		e, memory := fresh()
		if err := e.act(said(1, message{op: grant, id: 1, version: 5, flag: true})); err != nil {
			t.Fatal(err)
		}
		_ = e.act(incoming{1, h, bytes.Repeat([]byte{0xee}, h.Len)})
		for i, b := range memory {
			if b != 0 && (i < 100 || i >= 200) {
				t.Fatalf("%+v wrote byte %d, which was not due", h, i)
			}
		}
		tried++
	}
	t.Logf("%d damaged slots", tried)
}

func wordsOf(w0, w1 uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, w0), w1)
}
