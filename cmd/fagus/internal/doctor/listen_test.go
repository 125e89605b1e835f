package doctor

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

// TestProbe: a probe answers who knows its secret, and nobody else.
func TestProbe(t *testing.T) {
	secret := bytes.Repeat([]byte{7}, secretBytes)
	wrong := append(bytes.Clone(secret[1:]), 8)
	var p probe
	defer p.close()
	a := p.answer(order{Listen: &listen{Interface: "127.0.0.1", Want: 2, Secret: secret}})
	if a.Listen == nil || len(a.Listen.Ports) != 2 {
		t.Fatalf("%+v", a)
	}
	const wait = 300 * time.Millisecond
	to := []target{{Host: "b", Addr: a.Listen.Addr, Ports: a.Listen.Ports}}
	for _, c := range []struct {
		secret []byte
		failed int
	}{{secret, 0}, {wrong, 2}} {
		got := (&reach{Secret: c.secret, WaitNS: wait.Nanoseconds(), To: to}).try(1500)
		if len(got) != 1 || got[0].To != "b" || len(got[0].TCPFailed) != c.failed || len(got[0].UDPFailed) != c.failed {
			t.Errorf("secret %x: %+v, want %d ports without answer", c.secret, got, c.failed)
		}
	}
	if _, err := connect(netip.AddrPortFrom(a.Listen.Addr, 1), secret, wait); err == nil || whyNot(err) != "connection refused" {
		t.Errorf("a port that is not open: %v", err)
	}
	if a := p.answer(order{}); a.Err == "" {
		t.Error("an unknown order is obeyed")
	}
}
