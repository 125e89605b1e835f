package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
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
		m.begin(Place{Size: 3, Job: "a"}, Spec{Drivers: AllDrivers(), Stall: 2 * pingTick}, nil, hello{})
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
	m.begin(Place{Size: 2, Job: "a"}, Spec{Drivers: AllDrivers(), Stall: time.Minute}, nil, hello{})
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

// recording is a conn that records what is sent.
type recording struct {
	conn
	sent chan message
}

func (r recording) send(m message) error           { r.sent <- m; return nil }
func (recording) SetWriteDeadline(time.Time) error { return nil }
func receivedBy(rank int, m message) (got *Failed) {
	other := &member{}
	other.begin(Place{Rank: rank, Size: 3, Job: "a"}, Spec{Drivers: AllDrivers()}, nil, hello{})
	from0 := newPeer(mute{}, 0, "pid 6", assembler{})
	_, files, err := decode(m.encode())
	if err != nil || files > 0 || other.handle(from0, m) != nil {
		return nil
	}
	other.notices.Wait()
	errors.As(other.failure(), &got)
	return got
}

// TestLossTravels checks that a loss is a loss for every rank that hears of it, the lost one too,
// and that the failure of a program is none.
func TestLossTravels(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		fail func(m *member, p *peer)
		rank dimmnet.Rank
		gone bool
	}{
		{"its connection ends", func(m *member, p *peer) { m.lost(p, boom) }, 2, true},
		{"it does not answer", func(m *member, p *peer) { m.lose(p, false) }, 2, true},
		{"nobody answers", func(m *member, p *peer) { m.lose(p, true) }, 0, true},
		{"it does not join", func(m *member, _ *peer) { m.timedOut() }, 2, true},
		{"it says why", func(m *member, _ *peer) { m.fail(2, boom) }, 2, false},
		{"own failure", func(m *member, _ *peer) { m.fail(0, boom) }, 0, false},
	} {
		m := &member{}
		m.begin(Place{Size: 3, Job: "a"}, Spec{Drivers: AllDrivers()}, nil, hello{})
		r := recording{sent: make(chan message, 1)}
		p := newPeer(mute{}, 2, "pid 7", assembler{})
		m.peers = []*peer{nil, newPeer(r, 1, "pid 6", assembler{}), nil}
		c.fail(m, p)
		m.notices.Wait()
		sent := <-r.sent
		for rank := 1; rank < 3; rank++ {
			got := receivedBy(rank, sent)
			if got == nil || got.Rank != c.rank || dimmnet.IsGone(got) != c.gone || got.Error() != m.failed.Error() || dimmnet.IsGone(m.failed) != c.gone {
				t.Errorf("%s: rank 0 fails with %v, and rank %d with %v; want rank %d, a loss: %v", c.name, m.failed, rank, got, c.rank, c.gone)
			}
		}
	}
}
