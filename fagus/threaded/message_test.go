package threaded

import (
	"bytes"
	"testing"

	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

func TestMessageFitsEverySlot(t *testing.T) {
	if messageBytes > ringbuf.MinSlotBytes {
		t.Errorf("a message takes %d bytes, and a slot may have %d", messageBytes, ringbuf.MinSlotBytes)
	}
}

// FuzzMessage: whatever decodes is a message within its limits, with one encoding.
func FuzzMessage(f *testing.F) {
	for _, m := range []message{
		{op: request, mode: syncvar.Exclusive, id: syncvar.MaxID - 1},
		{op: request, mode: syncvar.Shared, flag: true, rank: 2, id: 3, since: 1 << 40},
		{op: grant, id: 1, version: 9, since: 8, flag: true},
		{op: release, id: 1},
		{op: arrive, call: syncvar.Update, declared: 8, digest: 1 << 63},
		{op: arrive, call: syncvar.Reduce, declared: 8, digest: 1 << 63, word: 1 << 63},
		{op: leave, call: syncvar.End},
		{op: leave, call: syncvar.Reduce},
	} {
		b := m.append(nil)
		if got, err := decode(b, 3); got != m || err != nil {
			f.Fatalf("%+v became %+v, error %v", m, got, err)
		}
		f.Add(b, uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, nodes uint8) {
		m, err := decode(b, int(nodes))
		if err != nil {
			return
		}
		if int(m.rank) >= int(nodes) || m.id >= syncvar.MaxID || m.op == 0 || m.op >= lastOp {
			t.Fatalf("%+v in a run of %d nodes", m, nodes)
		}
		if got := m.append(nil); !bytes.Equal(got, b) {
			t.Fatalf("%x became %+v and then %x", b, m, got)
		}
	})
}
