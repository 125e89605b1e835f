//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
)

// TestLastWords checks that the messages of an end arrive even if it closes before it has read
// everything.
func TestLastWords(t *testing.T) {
	at := &net.UnixAddr{Name: fmt.Sprintf("@%s-%d", t.Name(), os.Getpid()), Net: network}
	l, err := net.ListenUnix(network, at)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := net.DialUnix(network, nil, at)
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	a, b := newPackets(dialed, 0), newPackets(accepted, 0)
	defer b.Close()
	for _, c := range []*packets{a, b} {
		if err := c.send(message{kind: kindGoodbye, rank: 7}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if m, err := b.receive(); err != nil || m.kind != kindGoodbye || m.rank != 7 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := b.receive(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last message: %v", err)
	}
}
