package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// mute is a conn to a process that answers nothing.
type mute struct{ conn }

func (mute) send(message) error               { return nil }
func (mute) SetWriteDeadline(time.Time) error { return nil }

// TestOldPong checks that the answer to an earlier ping does not count for a rank that is stopped,
// and that a rank which no other answers reports itself.
func TestOldPong(t *testing.T) {
	for _, c := range []struct {
		old, alone bool
		lost       dimmnet.Rank
	}{{false, false, 2}, {true, false, 2}, {true, true, 0}} {
		m := &member{}
		m.begin(Place{Size: 3, Job: "a"}, nil, hello{})
		m.configure(2*pingTick, reach.Ports{}, "", "")
		p := newPeer(mute{}, 2, "pid 7", assembler{})
		if c.old {
			p.pong <- struct{}{}
		}
		m.confirm(p, nil, func() bool { return c.alone })
		m.readers.Wait()
		m.notices.Wait()
		var f *Failed
		if err := m.failure(); !errors.As(err, &f) || f.Rank != c.lost {
			t.Errorf("%+v: the job fails with %v", c, err)
		}
	}
}

// answering is a conn to a process that answers each ping.
type answering struct {
	conn
	pings chan bool
	pong  func()
}

func (a *answering) send(m message) error {
	if m.kind == kindPing {
		a.pings <- true
		a.pong()
	}
	return nil
}

func (a *answering) SetWriteDeadline(time.Time) error { return nil }

// TestConfirmAgain checks that a rank which has answered a ping is pinged at the next suspicion.
func TestConfirmAgain(t *testing.T) {
	m := &member{}
	m.begin(Place{Size: 2, Job: "a"}, nil, hello{})
	m.configure(time.Minute, reach.Ports{}, "", "")
	a := &answering{pings: make(chan bool, 10)}
	p := newPeer(a, 1, "pid 7", assembler{})
	a.pong = func() { p.pong <- struct{}{} }
	for range 3 {
		m.confirm(p, nil, nil)
		m.readers.Wait()
	}
	m.notices.Wait()
	if err := m.failure(); err != nil || len(a.pings) != 3 {
		t.Errorf("%d pings for 3 suspicions, %v", len(a.pings), err)
	}
}
