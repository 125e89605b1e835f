package cluster

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// piped is a stream over a net.Pipe, whose deadlines obey a synctest bubble.
type piped struct{ *stream }

func newPiped(c net.Conn) piped { return piped{&stream{Conn: c, process: "pid 7"}} }
func (p piped) Close() error    { return p.Conn.Close() }

// pipeWire is a wire whose only connection is the other end of a net.Pipe.
type pipeWire struct{ end net.Conn }

func (w pipeWire) accept(c net.Conn) (conn, error) { return newPiped(c), nil }
func (w pipeWire) dial(context.Context) (c conn, _ bool, err error) {
	return newPiped(w.end), false, nil
}

// TestGreetingDeadlines checks that no deadline of the greeting is left at either end: hours later,
// both ranks exchange messages, and a process that says nothing is given up.
func TestGreetingDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at0, at1 := net.Pipe()
		ranks := make([]*member, 2)
		for rank := range ranks {
			place := Place{Rank: rank, Size: 2, Job: "a"}
			ranks[rank] = &member{}
			ranks[rank].begin(place, Spec{Drivers: AllDrivers(), Stall: -1}, pipeWire{at1}, newHello(place, 6+rank, time.Second))
		}
		ranks[0].peers, ranks[0].rendezvous = make([]*peer, 2), newRendezvous(2)
		ranks[0].tightenDeadline(time.Second)
		ranks[0].readers.Go(func() {
			ranks[0].handshake(at0)
			if err := ranks[0].peers[1].send(message{kind: kindWelcome}); err != nil {
				t.Error(err)
			}
		})
		if err := ranks[1].dial(t.Context(), time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			time.Sleep(time.Hour)
			for rank, p := range []*peer{ranks[0].peers[1], ranks[1].peers[0]} {
				if answered, _ := ranks[rank].ping(p); !answered || ranks[rank].failure() != nil {
					t.Errorf("rank %d: no answer from rank %d an hour later, %v", rank, p.rank, ranks[rank].failure())
				}
			}
		}
		silent, other := net.Pipe()
		ranks[0].rendezvous.pending[silent] = true
		begun := time.Now()
		ranks[0].handshake(silent)
		if took := time.Since(begun); took != helloTimeout {
			t.Errorf("a process that says nothing is given up after %v, want %v", took, helloTimeout)
		}
		_ = other.Close()
		for _, m := range ranks {
			m.shutdown()
		}
	})
}
