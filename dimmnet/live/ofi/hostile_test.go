//go:build ofi && linux && cgo

package ofi

import (
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

// hostileProviders returns the providers for tests in which a rank or a stranger is hostile.
func hostileProviders(t *testing.T, test func(t *testing.T, provider string)) {
	for _, p := range []string{"tcp;ofi_rxm", "net"} {
		t.Run(p, func(t *testing.T) { test(t, p) })
	}
}

// TestStrangers checks that messages of an endpoint outside the run change nothing.
func TestStrangers(t *testing.T) {
	hostileProviders(t, func(t *testing.T, provider string) {
		m := newMeetings(2)
		victim := m.start(provider, 0, meshtest.Untouched)
		late := m.member(1)
		late.Late = make(chan struct{})
		other := meshtest.Start(Join(attacked(provider), late), 2, func(h dimmnet.Host) error {
			time.Sleep(300 * time.Millisecond) // strange messages come before
			return meshtest.Touch(h)
		})
		a := newAttacker(t, provider)
		defer a.close()
		a.meet(t, m.addresses.Blobs()[0])
		close(late.Late)
		for range 60 { // more than the victim has receive buffers
			a.tell(t, meshtest.Noise(messageBytes), messageBytes)
			a.say(t, data, 1, exposure{}, meshtest.Noise(100)) // without the token
			a.say(t, offer, 0, exposure{1, 2, 1 << 40}, nil)
			a.say(t, taken, 0, exposure{}, nil)
			a.say(t, end, 65535, exposure{}, nil)
		}
		a.tell(t, nil, 0)
		a.tell(t, nil, 1)
		a.tell(t, nil, 2*messageBytes) // longer than any message of a rank
		for rank, result := range []chan error{victim, other} {
			if err := a.result(t, result); err != nil {
				t.Errorf("rank %d: Run returned %v, want no error", rank, err)
			}
		}
	})
}

// TestHostilePeer checks that a rank that breaks the rules, or is silent, fails the run. The error
// names the rank, and no byte has changed.
func TestHostilePeer(t *testing.T) {
	secret := meshtest.Noise(64 << 10)
	for _, c := range []struct {
		name   string
		attack func(t *testing.T, a *attacker)
	}{
		{"garbage", func(t *testing.T, a *attacker) { a.say(t, data, 0, exposure{}, meshtest.Noise(1<<12)) }},
		{"half a header", func(t *testing.T, a *attacker) {
			a.say(t, data, 0, exposure{}, meshtest.Noise(11))
			a.say(t, end, 0, exposure{}, nil)
		}},
		{"end", func(t *testing.T, a *attacker) { a.say(t, end, 0, exposure{}, nil) }},
		{"end after messages of other ranks", func(t *testing.T, a *attacker) {
			for _, a.header.source = range []dimmnet.Rank{0, 2, 65535, 1} {
				a.say(t, end, 0, exposure{}, nil)
			}
		}},
		{"silence", func(t *testing.T, a *attacker) { a.say(t, beat, 0, exposure{}, nil) }},
		{"credits", func(t *testing.T, a *attacker) { a.say(t, credit, 1, exposure{}, nil) }},
		{"many credits", func(t *testing.T, a *attacker) { a.say(t, beat, 65535, exposure{}, nil) }},
		{"taken", func(t *testing.T, a *attacker) { a.say(t, taken, 0, exposure{}, nil) }},
		{"memory that is not there", func(t *testing.T, a *attacker) { a.say(t, offer, 0, exposure{1, 1 << 40, 1 << 60}, nil) }},
		{"more memory than there is", func(t *testing.T, a *attacker) {
			_, e, err := a.expose(secret[:8], false)
			if err != nil {
				t.Fatal(err)
			}
			e.n = 1 << 60
			a.say(t, offer, 0, e, nil)
		}},
		{"garbage in memory", func(t *testing.T, a *attacker) {
			_, e, err := a.expose(secret, false)
			if err != nil {
				t.Fatal(err)
			}
			a.say(t, offer, 0, e, nil)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			hostileProviders(t, func(t *testing.T, provider string) {
				t.Parallel()
				m := newMeetings(2)
				victim := m.start(provider, 0, meshtest.Untouched)
				a := newAttacker(t, provider)
				defer a.close()
				a.join(t, m, provider)
				a.workFor(t, 50*time.Millisecond)
				c.attack(t, a)
				err := wantBlamed(t, a, victim)
				if says := map[string]string{"credits": "33 credits", "many credits": "credits", "taken": "not offered"}[c.name]; err != nil && !strings.Contains(err.Error(), says) {
					t.Errorf("Run returned %v, want %q", err, says)
				}
			})
		})
	}
}

// wantBlamed checks that the run of rank 0 fails, and blames rank 1. It returns the error.
func wantBlamed(t *testing.T, a *attacker, victim chan error) error {
	t.Helper()
	err := a.result(t, victim)
	if err == nil || meshtest.IsChanged(err) || !strings.Contains(err.Error(), "rank 1") {
		t.Errorf("Run returned %v, want an error that names rank 1", err)
	}
	return err
}

// TestFlood checks that a rank that sends more messages than it has credits for is named. The
// victim, which reads nothing, keeps no more of them than it has buffers.
func TestFlood(t *testing.T) {
	hostileProviders(t, func(t *testing.T, provider string) {
		m, compute := newMeetings(2), make(chan struct{})
		victim := m.start(provider, 0, func(h dimmnet.Host) error {
			<-compute
			return meshtest.Untouched(h)
		})
		a := newAttacker(t, provider)
		defer a.close()
		a.join(t, m, provider)
		// The beginning of a valid frame (package stream) with a page.
		a.say(t, data, 0, exposure{}, []byte{0x65, 0xfa, 2, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
		for range mostMessages {
			a.say(t, data, 0, exposure{}, []byte{0})
		}
		a.workFor(t, 100*time.Millisecond)
		close(compute)
		err := a.result(t, victim)
		if err == nil || !strings.Contains(err.Error(), "rank 1") || !strings.Contains(err.Error(), "33 messages ahead") {
			t.Errorf("Run returned %v, want that rank 1 has sent 33 messages ahead", err)
		}
	})
}

// TestLostInRead checks that a run ends when rank 0 reads memory of a rank that becomes silent, and
// when rank 0 has offered memory to such a rank.
func TestLostInRead(t *testing.T) {
	hostileProviders(t, func(t *testing.T, provider string) {
		t.Run("read", func(t *testing.T) {
			t.Parallel()
			m := newMeetings(2)
			victim := m.start(provider, 0, meshtest.Untouched)
			a := newAttacker(t, provider)
			defer a.close()
			a.join(t, m, provider)
			a.workFor(t, 50*time.Millisecond)
			_, e, err := a.expose(meshtest.Noise(1<<20), false)
			if err != nil {
				t.Fatal(err)
			}
			a.say(t, offer, 0, e, nil)
			// The attacker no longer works: the victim's read does not end.
			if err := meshtest.Result(t, victim); err == nil || meshtest.IsChanged(err) || !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("Run returned %v, want an error that names rank 1", err)
			}
		})
		t.Run("offer", func(t *testing.T) {
			t.Parallel()
			m := newMeetings(2)
			victim := m.start(provider, 0, func(h dimmnet.Host) error {
				p := h.Port().(dimmnet.ZeroCopy)
				if err := meshtest.Post(p, func() bool { return p.Send(1, make([]byte, 1<<20)) }); err != nil {
					return err
				}
				return meshtest.Untouched(h)
			})
			a := newAttacker(t, provider)
			defer a.close()
			a.join(t, m, provider)
			a.say(t, beat, 0, exposure{}, nil) // a rank that was never heard may be silent longer
			offered := false
			for deadline := time.Now().Add(5 * time.Second); !offered && time.Now().Before(deadline); a.work(t) {
				for _, h := range a.got {
					offered = offered || h.kind == offer
				}
			}
			if !offered {
				t.Errorf("the victim offers nothing, but sends %v", a.got)
			}
			_ = wantBlamed(t, a, victim)
		})
	})
}
