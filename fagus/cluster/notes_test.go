//go:build linux

package cluster

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestAskAfterFailure: what a rank says of itself may arrive after the message that the job has
// failed. One that says nothing is not waited for.
func TestAskAfterFailure(t *testing.T) {
	for _, says := range []string{"", "in Barrier"} {
		host, socket := hostile(t, Spec{Drivers: AllDrivers()})
		failed := (&Failed{Rank: 1, Why: "a mistake", cause: errors.New("a mistake")}).message()
		if err := (packet{bytes: failed.encode()}).send(socket); err != nil {
			t.Fatal(err)
		}
		<-host.broken
		asked := make(chan string)
		go func() { asked <- string(host.Ask(t.Context(), nil, []dimmnet.Rank{1})[1]) }()
		time.Sleep(lateTime / 50)
		if says != "" {
			note := message{kind: kindAsk, rank: 1, total: 0, body: []byte(says)}
			if err := (packet{bytes: note.encode()}).send(socket); err != nil {
				t.Fatal(err)
			}
		}
		if got := <-asked; got != says {
			t.Errorf("the answer is %q, want %q", got, says)
		}
		_ = host.Close(t.Context()) // the job has failed
		if err := socket.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestGoodbyeIsLast: rank 0 ignores what comes after a goodbye, so a rank that leaves while it
// prepares an answer says goodbye after that.
func TestGoodbyeIsLast(t *testing.T) {
	wait, c := underRank0(t, Spec{Drivers: AllDrivers()}, message{kind: kindWelcome})
	defer c.Close()
	host := wait()
	asked, ready := make(chan struct{}), make(chan struct{})
	host.Describe(func() []byte {
		close(asked)
		<-ready
		return []byte("in Update")
	})
	if err := c.send(message{kind: kindAsk, rank: 0, call: 1, total: 1}); err != nil {
		t.Fatal(err)
	}
	<-asked
	left := make(chan error)
	go func() { left <- host.Close(t.Context()) }()
	time.Sleep(20 * time.Millisecond)
	close(ready)
	for i, want := range []kind{kindNote, kindGoodbye} {
		if msg, err := c.receive(); err != nil || msg.kind != want {
			t.Errorf("message %d is of %v, error %v; want %v", i, msg.kind, err, want)
		}
	}
	if err := <-left; err != nil {
		t.Error(err)
	}
}

// TestNoteIsSent: the process may end when Ask has returned, also if it wants no answer.
func TestNoteIsSent(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		t.Run("", func(t *testing.T) {
			wait, c := underRank0(t, Spec{Drivers: AllDrivers()}, message{kind: kindWelcome})
			defer c.Close()
			host := wait()
			host.Ask(done, []byte("in Update"), []dimmnet.Rank{0})
			if err := host.peers[0].Close(); err != nil { // as the end of the process
				t.Fatal(err)
			}
			if msg, err := c.receive(); err != nil || msg.kind != kindAsk {
				t.Errorf("rank 0 gets a message of %v, error %v; want %v", msg.kind, err, kindAsk)
			}
			_ = host.Close(t.Context()) // the job has failed
		})
	}
}
