//go:build linux

package tcp

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

// TestForeignConnections checks that connections that do not belong to the run are refused, and
// that the run goes on.
func TestForeignConnections(t *testing.T) {
	v := newBesieged(t, make([]Config, 2))
	other := bytes.Clone(v.key)
	other[5] ^= 1
	for name, call := range map[string]func(net.Conn) error{
		"another key":  func(c net.Conn) error { return dialHandshake(c, other, 1, 0) },
		"own rank":     func(c net.Conn) error { return dialHandshake(c, v.key, 0, 0) },
		"no such rank": func(c net.Conn) error { return dialHandshake(c, v.key, 2, 0) },
		"other rank":   func(c net.Conn) error { return dialHandshake(c, v.key, 1, 1) },
		"garbage": func(c net.Conn) error {
			if _, err := c.Write(meshtest.Noise(1 << 16)); err != nil {
				return err
			}
			_, err := c.Read(make([]byte, 1))
			return err
		},
	} {
		if err := call(v.dial(t)); err == nil {
			t.Errorf("%s: admitted, want a refusal", name)
		}
	}
	// A connection without a valid proof after the answer.
	liar := v.dial(t)
	if err := dialHandshake(badProof{liar}, v.key, 1, 0); err == nil {
		t.Error("a connection without a valid proof is admitted")
	}
	_ = v.dial(t) // a silent connection does not delay the run
	v.succeed(t)
}

// badProof is a connection that damages the last message of a handshake.
type badProof struct{ net.Conn }

func (c badProof) Write(b []byte) (int, error) {
	if len(b) == proofBytes {
		b = make([]byte, len(b))
	}
	return c.Conn.Write(b)
}

// TestHostilePeer checks that a peer that sends an invalid frame, or leaves, fails the run. The
// error names the peer, and no byte has changed.
func TestHostilePeer(t *testing.T) {
	for name, b := range map[string][]byte{
		"garbage":       meshtest.Noise(1 << 12),
		"half a header": meshtest.Noise(11),
		"nothing":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t, meshtest.Untouched)
			conn := v.join(t)
			if _, err := conn.Write(b); err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
			if err := meshtest.Result(t, v.result); err == nil || meshtest.IsChanged(err) || !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("Run returned %v, want an error that names rank 1", err)
			}
		})
	}
}
