package threaded

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/frametest"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestDamagedSlots passes damaged slots to an engine: messages and pieces of data with one byte
// changed, or cut short. Only the variable whose data are due may change.
func TestDamagedSlots(t *testing.T) {
	messages := []message{
		{op: request, access: syncvar.Exclusive, rank: 1, id: 0, declared: 5, digest: 7},
		{op: request, access: syncvar.Shared, flag: true, rank: 2, id: 1},
		{op: grant, id: 1, version: 5, since: 4, flag: true},
		{op: grant, id: 1, version: 5},
		{op: release, id: 0},
		{op: pass, rank: 2, id: 1, version: 5, since: 4},
		{op: grant, rank: 2, id: 1, version: 5, flag: true, passed: true},
		{op: arrive, call: syncvar.Update, declared: 5, digest: 7},
		{op: arrive, call: syncvar.Reduce, declared: 5, digest: 7, word: 9},
		{op: leave, call: syncvar.End},
	}
	fresh := func() (*Engine, []byte) {
		e := newTestEngine(t, 0)
		if err := e.ask(1, syncvar.Want{Access: syncvar.Exclusive}); err != nil {
			t.Fatal(err)
		}
		return e, e.space.Bytes(consistency.Range{Lo: consistency.PageBytes, Hi: consistency.PageBytes + 400})
	}
	tried := 0
	for _, m := range messages {
		for damaged := range frametest.Every(m.append(nil)) {
			e, _ := fresh()
			_ = e.handleSlot(incoming{1, ringbuf.Header{Kind: ringbuf.Control, Sender: 1, Len: len(damaged)}, bytes.Clone(damaged)})
			tried++
		}
	}
	w0, w1 := ringbuf.Header{Kind: ringbuf.Data, Sender: 1, Len: 8, Addr: 4196, Age: 1, Last: true}.Encode()
	for damaged := range frametest.Every(wordsOf(w0, w1)) {
		if len(damaged) < 16 {
			continue // a header always has two words
		}
		h, err := ringbuf.Decode(binary.LittleEndian.Uint64(damaged), binary.LittleEndian.Uint64(damaged[8:]), 1, 4096)
		if err != nil {
			continue
		}
		e, memory := fresh()
		if err := e.handleSlot(slotOf(1, message{op: grant, id: 1, version: 5, flag: true})); err != nil {
			t.Fatal(err)
		}
		_ = e.handleSlot(incoming{1, h, bytes.Repeat([]byte{0xee}, h.Len)})
		for i, b := range memory {
			if b != 0 && (i < 100 || i >= 200) {
				t.Fatalf("%+v changed byte %d, which is not due", h, i)
			}
		}
		tried++
	}
	t.Logf("%d damaged slots", tried)
}

func wordsOf(w0, w1 uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, w0), w1)
}
