package host

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// hosts returns a run of hosts whose threads have no ports. If body is not nil, every node runs it.
func hosts(t *testing.T, nodes int, udp *network.UDP, body func(*Thread) error) *Kernel {
	t.Helper()
	preset, err := presets.Load(presets.Default)
	if err != nil {
		t.Fatal(err)
	}
	if udp != nil {
		preset.Limits = preset.UDP.Limits
	}
	line, trace := new(event.Timeline), event.NewTrace(nodes, 0, nil)
	net := network.New(network.Config{Preset: &preset, Nodes: nodes, LookAhead: udp == nil, UDP: udp}, line, trace)
	k := New(context.Background(), Config{
		Preset: &preset, Nodes: nodes, Limit: dimmnet.Second, UDP: udp != nil,
		Port: func(*Thread) dimmnet.Port { return nil },
	}, net, line, trace)
	for i := range nodes {
		n := net.Open(dimmnet.Rank(i))
		if body == nil {
			k.nodes[i].net = n
			continue
		}
		k.Start(n, dimmnet.Rank(i), func(h dimmnet.Host) error { return body(h.(*Thread)) })
	}
	return k
}

// TestTimerFollowsTheDeadline: when an end that waits for an acknowledgement also owes one,
// its timer moves to the earlier time. The event at the old time does nothing.
func TestTimerFollowsTheDeadline(t *testing.T) {
	k := hosts(t, 3, new(network.UDP), nil)
	a, b := k.end(0, 1), k.end(1, 0)
	a.conn.Send([]byte{1})
	b.conn.Send([]byte{1})
	k.pump(a, 0, true)
	cfg := &k.preset.UDP.Conn
	if !a.armed || a.timer != cfg.FirstTimeout {
		t.Fatalf("the timer is armed %v for %v, want %v", a.armed, a.timer, cfg.FirstTimeout)
	}
	if _, err := a.conn.Receive(0, b.conn.Next(0, nil)); err != nil {
		t.Fatal(err)
	}
	k.pump(a, 0, true)
	if a.timer != cfg.AckDelay {
		t.Errorf("the timer is armed for %v, want %v", a.timer, cfg.AckDelay)
	}
	sent := func() uint64 { return k.net.Totals().UDP.Sent }
	events, before := k.line.Len(), sent()
	k.timerEvent(a.ref, cfg.FirstTimeout)
	if k.line.Len() != events || sent() != before || !a.armed || a.timer != cfg.AckDelay {
		t.Errorf("after a stale event: %d events, want %d; %d datagrams, want %d; timer armed %v for %v",
			k.line.Len(), events, sent(), before, a.armed, a.timer)
	}
	k.timerEvent(a.ref, cfg.AckDelay)
	if sent() != before+1 || a.timer != cfg.FirstTimeout {
		t.Errorf("%d datagrams sent, want %d; timer armed for %v", sent(), before+1, a.timer)
	}
}

// TestNothingIsUnderWay: when a run is over, all datagrams have been acknowledged, and their frames
// freed.
func TestNothingIsUnderWay(t *testing.T) {
	k := hosts(t, 3, &network.UDP{Loss: 0.3, Duplicate: 0.3, Reorder: 0.3}, func(th *Thread) error {
		for i := range 200 {
			if dst := dimmnet.Rank(i % 3); dst != th.rank {
				th.Gather(dst, 64, make([]byte, 1+i*6))
			}
			th.Notify(dimmnet.Rank(i % 3))
		}
		return nil
	})
	k.Run()
	if k.cause != nil {
		t.Fatal(k.cause)
	}
	if len(k.ends) != 6 {
		t.Errorf("the run has %d ends of connections, want 6", len(k.ends))
	}
	for _, e := range k.ends {
		if at, ok := e.conn.Deadline(); ok {
			t.Errorf("rank %d still has a datagram for rank %d at %v", e.own, e.peer, at)
		}
	}
	for i := range k.nodes {
		if n := &k.nodes[i]; n.notices < 190 || n.open.by != nil {
			t.Errorf("rank %d: %d notices, want 190 or more; its open datagram is of %v, want none", i, n.notices, n.open.by)
		}
	}
	// the number of the next frame is one that was in use
	k.nodes[0].net.Notify(1, k.line.Now())
	if number, sent := k.line.First().Ref, k.net.Totals().UDP.Sent; uint64(number) > sent/4 {
		t.Errorf("the frame after %d datagrams is number %d", sent, number)
	}
}

// TestPastIsSeen: a thread that is behind a word that has landed reads the old word, whole or in
// part, and misses the arrival, until its clock has come to the landing.
func TestPastIsSeen(t *testing.T) {
	k := hosts(t, 2, nil, nil)
	n, peer := &k.nodes[0], k.nodes[1].net
	th := &Thread{node: n}
	next := func() event.Event { // lets events happen until something is about to land
		for k.line.First().Kind != network.Land {
			k.net.Handle(k.line.Pop())
		}
		return k.line.Pop()
	}
	peer.Post(&network.Store{Word: 0x1111111111111111, Off: 16, Size: 8, Hit: true})
	k.net.Handle(next())
	peer.Post(&network.Store{Word: 0x22222222, Off: 20, Size: 4, Hit: true})
	e := next()
	if !k.keepPast(n, &e) {
		t.Fatal("keepPast returned false")
	}
	k.net.Handle(e)
	look := func() string {
		wide, narrow := make([]byte, 12), make([]byte, 2)
		th.Read(wide, 10)
		th.Read(narrow, 21)
		return fmt.Sprintf("%x %x %x %x %d", th.Load(16), th.Load(24), wide, narrow, n.seen())
	}
	th.now = e.At - 1
	th.catchUp()
	if got, want := look(), "1111111111111111 0 000000000000111111111111 1111 1"; got != want {
		t.Errorf("before the landing: %s, want %s", got, want)
	}
	th.now = e.At
	th.catchUp()
	if got, want := look(), "2222222211111111 0 000000000000111111112222 2222 2"; got != want {
		t.Errorf("after the landing: %s, want %s", got, want)
	}
	user, chip := martini.Owner{Group: 1}, &n.net.Chip
	if err := errors.Join(chip.Open(user), chip.Register(user, 0, 0, 1024)); err != nil {
		t.Fatal(err)
	}
	peer.Block(martini.Header{Owner: user, Command: martini.CommandBlock, Addr: 16, Length: 8}, make([]byte, 8), -1, 0)
	if e := next(); k.keepPast(n, &e) {
		t.Error("keepPast returned true for a block")
	}
}
