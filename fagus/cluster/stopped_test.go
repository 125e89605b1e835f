//go:build linux

package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

const shortStall = 500 * time.Millisecond

// gatherStopped calls Gather at h, whose other rank reads nothing, and checks that it fails soon.
func gatherStopped(t *testing.T, h *Host, other int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	begun := time.Now()
	_, err := h.Gather(ctx, make([]byte, maxBlob))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("rank %d (pid", other)) || !strings.Contains(err.Error(), "it does not answer") {
		t.Errorf("Gather returns %v after %v, want that rank %d does not answer", err, time.Since(begun), other)
	}
	_ = h.Close(ctx) // the job has failed
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("Gather and Close took %v", took)
	}
}

// TestStoppedReader has a rank that reads nothing after its share, or after its welcome: the blob
// of the other rank fills the buffers of the socket.
func TestStoppedReader(t *testing.T) {
	t.Parallel() // the test mostly waits
	t.Run("rank 1", func(t *testing.T) {
		t.Parallel()
		host, socket := hostile(t, Spec{Drivers: AllDrivers(), Stall: shortStall})
		defer socket.Close()
		b := blob(1, 0)
		if _, err := socket.Write(b.encode()); err != nil {
			t.Fatal(err)
		}
		gatherStopped(t, host, 1)
	})
	t.Run("rank 0", func(t *testing.T) {
		t.Parallel()
		host, c := underRank0(t, Spec{Drivers: AllDrivers(), Stall: shortStall}, message{kind: kindWelcome})
		defer c.Close()
		gatherStopped(t, host(), 0)
	})
}

// underRank0 joins as rank 1 of 2, and answers as rank 0 by hand: with the given messages. It
// returns a function that waits for the Host, and rank 0's end of the connection.
func underRank0(t *testing.T, cfg Spec, answers ...message) (wait func() *Host, c *packets) {
	t.Helper()
	place := Place{Rank: 1, Size: 2, Job: fmt.Sprint(t.Name(), os.Getpid())}
	l, err := net.ListenUnix(network, meetingPoint(place))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	wait = joinLater(t, place, cfg)
	socket, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	c = newPackets(socket, 99)
	if _, err := receiveHello(c); err != nil {
		t.Fatal(err)
	}
	for _, m := range answers {
		if err := c.send(m); err != nil {
			t.Fatal(err)
		}
	}
	return wait, c
}
