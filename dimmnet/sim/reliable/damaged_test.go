package reliable

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/frametest"
)

// TestDamagedDatagrams: a connection with datagrams under way rejects a damaged datagram, or
// treats it as another valid one. It delivers at most one payload.
func TestDamagedDatagrams(t *testing.T) {
	for _, h := range []header{{number: 1, next: 2}, {number: 3, next: 1, early: 5}, {next: 2, early: 1}} {
		good := append(h.append(nil), 1, 2, 3)
		for damaged := range frametest.Every(good) {
			c := New(bounds())
			for range 4 {
				c.Send([]byte("payload"))
			}
			leaving(c, 0)
			payloads, err := c.Receive(0, damaged)
			if err != nil && payloads != nil || len(payloads) > 1 {
				t.Fatalf("Receive(%x) returned %d payloads, error %v", damaged, len(payloads), err)
			}
			if len(c.sender.queue) > c.cfg.Window || c.sender.fresh > len(c.sender.queue) {
				t.Fatalf("%x: %d datagrams under way, %d of them sent", damaged, len(c.sender.queue), c.sender.fresh)
			}
		}
	}
}
