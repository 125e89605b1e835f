package reliable

import (
	"bytes"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// FuzzHeader: a header that decodes, encodes to the same bytes.
func FuzzHeader(f *testing.F) {
	f.Add(append(header{number: 3, next: 2, early: 5}.append(nil), 1, 2))
	f.Add(header{next: 1}.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, payload, err := decode(b)
		if err != nil {
			return
		}
		if again := append(h.append(nil), payload...); !bytes.Equal(again, b) {
			t.Errorf("%x decodes to %+v, which encodes to %x", b, h, again)
		}
	})
}

// FuzzReceive feeds arbitrary datagrams to a Conn that has datagrams under way. Each part of
// the input is a datagram, behind a byte with its length.
func FuzzReceive(f *testing.F) {
	part := func(h header, payload ...byte) []byte {
		b := append(h.append(nil), payload...)
		return append([]byte{byte(len(b))}, b...)
	}
	f.Add(part(header{number: 1, next: 3}, 7))
	f.Add(append(part(header{number: 2, next: 1, early: 1}, 7, 8), part(header{number: 1, next: 2}, 9)...))
	f.Add(part(header{next: 1, early: 1 << 40}))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := New(bounds())
		now := dimmnet.Time(0)
		for len(b) > 0 {
			c.Send([]byte("payload"))
			leaving(c, now)
			n := min(int(b[0]), len(b)-1)
			before := c.receiver.next
			payloads, err := c.Receive(now, b[1:1+n])
			if err != nil && (payloads != nil || c.receiver.next != before) {
				t.Fatalf("Receive returned error %v and %d payloads", err, len(payloads))
			}
			if got := c.receiver.next - before; got != uint64(len(payloads)) {
				t.Fatalf("Receive returned %d payloads, but the next number increased by %d", len(payloads), got)
			}
			if len(c.sender.queue) > c.cfg.Window || c.sender.fresh > len(c.sender.queue) {
				t.Fatalf("%d datagrams under way, %d of them sent", len(c.sender.queue), c.sender.fresh)
			}
			b = b[1+n:]
			now += dimmnet.Millisecond
		}
	})
}
