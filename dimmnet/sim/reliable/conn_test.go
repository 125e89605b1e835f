package reliable

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const ms = dimmnet.Millisecond

func bounds() Config {
	return Config{Window: 8, Payload: 100, Tries: 30, FirstTimeout: 20 * ms, MinTimeout: 10 * ms, MaxTimeout: 200 * ms, AckDelay: ms}
}

// leaving returns all datagrams that a Conn sends now.
func leaving(c *Conn, now dimmnet.Time) (datagrams [][]byte) {
	for d := c.Next(now, nil); d != nil; d = c.Next(now, nil) {
		datagrams = append(datagrams, d)
	}
	return datagrams
}

// describe prints the numbers that datagrams carry and acknowledge.
func describe(t *testing.T, datagrams [][]byte) string {
	t.Helper()
	var words []string
	for _, d := range datagrams {
		h, _, err := decode(d)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, fmt.Sprintf("%d<%d+%b", h.number, h.next, h.early))
	}
	return strings.Join(words, " ")
}

func send(t *testing.T, c *Conn, n int) {
	t.Helper()
	for range n {
		if !c.Send([]byte("x")) {
			t.Fatal("Send returned false")
		}
	}
}

func receive(t *testing.T, c *Conn, now dimmnet.Time, datagrams ...[]byte) (payloads [][]byte) {
	t.Helper()
	for _, d := range datagrams {
		p, err := c.Receive(now, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range p {
			payloads = append(payloads, bytes.Clone(b))
		}
	}
	return payloads
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func TestAcknowledgementsWaitOrRide(t *testing.T) {
	a, b := New(bounds()), New(bounds())
	send(t, a, 1)
	receive(t, b, 0, leaving(a, 0)...)
	expect(t, "at once", describe(t, leaving(b, 0)), "")
	if at, ok := b.Deadline(); !ok || at != ms {
		t.Errorf("Deadline is %v, %v, want %v", at, ok, ms)
	}
	expect(t, "after the delay", describe(t, leaving(b, ms)), "0<2+0")
	send(t, a, 1)
	receive(t, b, 2*ms, leaving(a, 2*ms)...)
	send(t, b, 1)
	expect(t, "with data", describe(t, leaving(b, 2*ms)), "1<3+0")
	send(t, a, 2)
	receive(t, b, 3*ms, leaving(a, 3*ms)...)
	expect(t, "two", describe(t, leaving(b, 3*ms)), "0<5+0")
	if _, ok := b.Deadline(); !ok {
		t.Error("there is no deadline for datagram 1, which is not acknowledged")
	}
}

func TestGapsAreShownAndFilled(t *testing.T) {
	a, b := New(bounds()), New(bounds())
	send(t, a, 6)
	d := leaving(a, 0)
	receive(t, b, 0, d[0], d[2])
	gap := leaving(b, 0)
	expect(t, "a gap", describe(t, gap), "0<2+1")
	receive(t, a, ms, gap...)
	expect(t, "one has passed", describe(t, leaving(a, ms)), "")
	receive(t, b, ms, d[3], d[4])
	receive(t, a, 2*ms, leaving(b, ms)...)
	again := leaving(a, 2*ms)
	expect(t, "three have passed", describe(t, again), "2<1+0")
	if p := receive(t, b, 3*ms, again...); len(p) != 4 {
		t.Errorf("filling the gap returned %d payloads, want 4", len(p))
	}
	expect(t, "filled", describe(t, leaving(b, 3*ms)), "0<6+0")
	if p := receive(t, b, 3*ms, d[1]); len(p) != 0 {
		t.Errorf("a repeated datagram returned %d payloads, want none", len(p))
	}
	expect(t, "repeated", describe(t, leaving(b, 3*ms)), "0<6+0")
}

func TestTimeoutsDoubleUntilMeasured(t *testing.T) {
	a, b := New(bounds()), New(bounds())
	send(t, a, 1)
	first := leaving(a, 0)
	now := dimmnet.Time(0)
	for _, want := range []dimmnet.Time{20, 40, 80, 160, 200, 200} {
		at, ok := a.Deadline()
		if !ok || at-now != want*ms {
			t.Fatalf("the deadline is %v after %v, want %v", at-now, now, want*ms)
		}
		if now = at; len(leaving(a, now-1)) != 0 || len(leaving(a, now)) != 1 {
			t.Fatalf("the datagram was not sent again at %v", now)
		}
	}
	receive(t, b, now, first...)
	receive(t, a, now, leaving(b, now+ms)...)
	if _, ok := a.Deadline(); ok {
		t.Error("a deadline without anything to send or await")
	}
	send(t, a, 1) // it is not known which try arrived: the timeout stays doubled
	d := leaving(a, now)
	if at, _ := a.Deadline(); at-now != 200*ms {
		t.Errorf("the timeout is %v, want %v", at-now, 200*ms)
	}
	receive(t, b, now, d...)
	receive(t, a, now+4*ms, leaving(b, now+4*ms)...)
	send(t, a, 1)
	leaving(a, now+4*ms)
	if at, _ := a.Deadline(); at-now-4*ms != 12*ms { // SRTT 4 ms, RTTVAR 2 ms
		t.Errorf("the timeout is %v after one measurement of 4 ms, want 12 ms", at-now-4*ms)
	}
}

func TestGivesUp(t *testing.T) {
	cfg := bounds()
	cfg.Tries = 3
	a := New(cfg)
	send(t, a, 1)
	sent := 0
	for at, ok := a.Deadline(); ok; at, ok = a.Deadline() {
		sent += len(leaving(a, at))
	}
	if sent != 3 || a.Err() == nil || !strings.Contains(a.Err().Error(), "datagram 1 of 1 bytes was sent 3 times") {
		t.Errorf("the datagram was sent %d times, want 3; then Err is %v", sent, a.Err())
	}
	if a.Send([]byte("x")) || leaving(a, dimmnet.Second) != nil {
		t.Error("a failed connection still sends")
	}
}

func TestWindowIsBounded(t *testing.T) {
	a, b := New(bounds()), New(bounds())
	send(t, a, 8)
	if a.Send([]byte("x")) {
		t.Error("Send accepted a ninth datagram")
	}
	d := leaving(a, 0)
	receive(t, b, 0, d[1:]...)
	receive(t, a, 0, leaving(b, 0)...)
	if a.HasSpace() {
		t.Error("Send accepted a datagram while the oldest is unacknowledged")
	}
	receive(t, b, 0, d[0])
	receive(t, a, 0, leaving(b, 0)...)
	send(t, a, 8)
}

// TestInvalidDatagrams are rejected and change nothing.
func TestInvalidDatagrams(t *testing.T) {
	for what, d := range map[string][]byte{
		"short":                      make([]byte, HeaderBytes-1),
		"nothing acknowledged":       header{number: 1}.append(nil),
		"no payload":                 header{number: 1, next: 1}.append(nil),
		"payload without number":     append(header{next: 1}.append(nil), 1),
		"too long":                   append(header{number: 1, next: 1}.append(nil), make([]byte, 101)...),
		"beyond the window":          append(header{number: 9, next: 1}.append(nil), 1),
		"acknowledges the future":    header{next: 3}.append(nil),
		"acknowledges a future gap":  header{next: 1, early: 1 << 63}.append(nil),
		"acknowledges around 0":      header{next: math.MaxUint64, early: 1}.append(nil),
		"a number that never occurs": append(header{number: 1 << 63, next: 1}.append(nil), 1),
	} {
		c := New(bounds())
		send(t, c, 1)
		leaving(c, 0)
		if _, err := c.Receive(0, d); err == nil || !strings.HasPrefix(err.Error(), "reliable: ") {
			t.Errorf("%s: Receive returned error %v", what, err)
		}
		if at, ok := c.Deadline(); !ok || at != 20*ms {
			t.Errorf("%s: Deadline is %v, %v afterwards, want none", what, at, ok)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Window = 0 },
		func(c *Config) { c.Window = MaxWindow + 1 },
		func(c *Config) { c.Payload = 0 },
		func(c *Config) { c.Tries = 0 },
		func(c *Config) { c.MinTimeout = 0 },
		func(c *Config) { c.MaxTimeout = c.MinTimeout - 1 },
		func(c *Config) { c.AckDelay = -1 },
	} {
		cfg := bounds()
		change(&cfg)
		if cfg.Check() == nil {
			t.Errorf("Check accepts %+v", cfg)
		}
	}
}
