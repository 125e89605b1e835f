package threaded

import (
	"bytes"
	"testing"

	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

func TestMessageFitsEverySlot(t *testing.T) {
	if messageBytes > ringbuf.MinSlotBytes {
		t.Errorf("a message has %d bytes, the smallest slot %d", messageBytes, ringbuf.MinSlotBytes)
	}
}

// FuzzMessage checks that every message that decode accepts is within its limits and is encoded to
// the same bytes.
func FuzzMessage(f *testing.F) {
	for _, m := range []message{
		{op: request, access: syncvar.Exclusive, id: syncvar.MaxID - 1},
		{op: request, access: syncvar.Shared, flag: true, rank: 2, id: 3, since: 1 << 40},
		{op: grant, id: 1, version: 9, since: 8, flag: true},
		{op: grant, id: 1, version: 9, flag: true, delayed: true},
		{op: request, access: syncvar.Exclusive, id: 1, delayed: true},
		{op: release, id: 1},
		{op: pass, id: 1, rank: 2, version: 9, since: 8, delayed: true},
		{op: grant, id: 1, rank: 2, version: 9, flag: true, passed: true},
		{op: arrive, call: syncvar.Update, declared: 8, digest: 1 << 63},
		{op: arrive, call: syncvar.Reduce, declared: 8, digest: 1 << 63, word: 1 << 63},
		{op: leave, call: syncvar.End},
		{op: leave, call: syncvar.Reduce},
	} {
		b := m.append(nil)
		if got, err := decode(b, 3); got != m || err != nil {
			f.Fatalf("message %+v is decoded as %+v, error %v", m, got, err)
		}
		f.Add(b, uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, nodes uint8) {
		m, err := decode(b, int(nodes))
		if err != nil {
			return
		}
		if int(m.rank) >= int(nodes) || m.id >= syncvar.MaxID || m.op == 0 || m.op >= lastOp {
			t.Fatalf("message %+v is decoded, but exceeds a limit of a run of %d nodes", m, nodes)
		}
		if got := m.append(nil); !bytes.Equal(got, b) {
			t.Fatalf("bytes %x are decoded as %+v and encoded as %x", b, m, got)
		}
	})
}

// TestFirstInvalid: for rank, variable, kind and flag, the largest valid value is accepted and the
// next one is refused.
func TestFirstInvalid(t *testing.T) {
	const nodes = 3
	last := message{op: request, access: syncvar.Exclusive, rank: nodes - 1, id: syncvar.MaxID - 1, delayed: true}
	change := func(f func(m *message)) []byte {
		m := last
		f(&m)
		return m.append(nil)
	}
	flagged := change(func(*message) {})
	flagged[3] = waitsBit << 1
	for title, b := range map[string][]byte{
		"a rank":     change(func(m *message) { m.rank++ }),
		"a variable": change(func(m *message) { m.id++ }),
		"a kind":     change(func(m *message) { m.op = lastOp }),
		"no kind":    change(func(m *message) { m.op = 0 }),
		"a flag":     flagged,
	} {
		if got, err := decode(b, nodes); err == nil {
			t.Errorf("%s that there is not: %+v", title, got)
		}
	}
	if got, err := decode(change(func(*message) {}), nodes); err != nil || got != last {
		t.Errorf("%+v arrives as %+v, %v", last, got, err)
	}
}
