package reliable

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestEstimatorIsRFC6298: RTTVAR uses the distance from the previous SRTT, and the bounds
// apply to measured timeouts.
func TestEstimatorIsRFC6298(t *testing.T) {
	for _, c := range []struct {
		trips []dimmnet.Time // measured round trips, in ms
		max   dimmnet.Time
		want  dimmnet.Time // the timeout, in us
	}{
		{nil, 1000, 20_000},
		{[]dimmnet.Time{2}, 1000, 10_000}, // MinTimeout
		{[]dimmnet.Time{100}, 1000, 300_000},
		{[]dimmnet.Time{100, 200}, 1000, 362_500}, // 112.5 + 4*(3*50 + 100)/4
		{[]dimmnet.Time{200, 100}, 1000, 587_500}, // 187.5 + 4*(3*100 + 100)/4
		{[]dimmnet.Time{1000}, 200, 200_000},      // MaxTimeout
	} {
		cfg := bounds()
		cfg.MaxTimeout = c.max * ms
		e := estimator{}
		for _, trip := range c.trips {
			e.measure(trip * ms)
		}
		if got := e.timeout(&cfg); got != c.want*dimmnet.Microsecond {
			t.Errorf("after round trips of %v ms the timeout is %v, want %d us", c.trips, got, c.want)
		}
	}
}

// TestTimeoutDoublesOnceForMany: datagrams that time out together double the timeout once,
// however late expire is called.
func TestTimeoutDoublesOnceForMany(t *testing.T) {
	a := New(bounds())
	send(t, a, 3)
	leaving(a, 0)
	const late = 150 * ms
	expect(t, "late", describe(t, leaving(a, late)), "1<1+0 2<1+0 3<1+0")
	if at, _ := a.Deadline(); at-late != 40*ms {
		t.Errorf("the timeout is %v, want 40 ms", at-late)
	}
}

// TestAcknowledgedInTime: a datagram due for another transmission is acknowledged before it
// leaves. Then it does not leave.
func TestAcknowledgedInTime(t *testing.T) {
	a, b := New(bounds()), New(bounds())
	send(t, a, 3)
	receive(t, b, 0, leaving(a, 0)[2])
	ack := leaving(b, 0)
	first := a.Next(20*ms, nil) // all three datagrams are due again
	expect(t, "at the timeout", describe(t, [][]byte{first}), "1<1+0")
	receive(t, a, 20*ms, ack...)
	expect(t, "acknowledged", describe(t, leaving(a, 20*ms)), "2<1+0")
}

// TestFastRetransmitAgain: for a datagram sent again, only datagrams that left after the new
// transmission count; three of them cause another transmission.
func TestFastRetransmitAgain(t *testing.T) {
	a, b := New(bounds()), New(bounds())
	send(t, a, 5)
	first := leaving(a, 0)
	receive(t, b, 0, first[1:4]...)
	receive(t, a, 0, leaving(b, 0)...)
	send(t, a, 3)
	d := leaving(a, ms)
	expect(t, "three have passed", describe(t, d), "1<1+0 6<1+0 7<1+0 8<1+0")
	receive(t, b, ms, first[4], d[1], d[2])
	receive(t, a, ms, leaving(b, ms)...)
	expect(t, "two have passed again", describe(t, leaving(a, ms)), "")
	receive(t, b, ms, d[3])
	receive(t, a, ms, leaving(b, ms)...)
	expect(t, "three have passed again", describe(t, leaving(a, ms)), "1<1+0")
}

// TestAcknowledgementIsDueBeforeATimeout: the deadline is the earlier of the acknowledgement
// and the timeout.
func TestAcknowledgementIsDueBeforeATimeout(t *testing.T) {
	a, b := New(bounds()), New(bounds())
	send(t, a, 1)
	send(t, b, 1)
	leaving(a, 0)
	receive(t, a, 0, leaving(b, 0)...)
	if at, ok := a.Deadline(); !ok || at != ms {
		t.Errorf("Deadline is %v, %v, want %v", at, ok, ms)
	}
}
