//go:build linux

package tcp

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
)

// TestStrangers: who is not of the run is sent away, and the run does not mind.
func TestStrangers(t *testing.T) {
	v := newBesieged(t, make([]Config, 2))
	other := bytes.Clone(v.key)
	other[5] ^= 1
	for name, call := range map[string]func(net.Conn) error{
		"another key":  func(c net.Conn) error { return dialHello(c, other, 1, 0) },
		"own rank":     func(c net.Conn) error { return dialHello(c, v.key, 0, 0) },
		"no such rank": func(c net.Conn) error { return dialHello(c, v.key, 2, 0) },
		"other rank":   func(c net.Conn) error { return dialHello(c, v.key, 1, 1) },
		"garbage": func(c net.Conn) error {
			if _, err := c.Write(noise(1 << 16)); err != nil {
				return err
			}
			_, err := c.Read(make([]byte, 1))
			return err
		},
	} {
		if err := call(v.dial(t)); err == nil {
			t.Errorf("%s: let in", name)
		}
	}
	// One who proves nothing, though he has been answered.
	liar := v.dial(t)
	if err := dialHello(halfDeaf{liar}, v.key, 1, 0); err != nil {
		t.Fatal(err)
	}
	if n, err := liar.Read(make([]byte, 1)); err == nil {
		t.Errorf("who lies is told %d bytes", n)
	}
	_ = v.dial(t) // who says nothing keeps nobody waiting
	v.succeed(t)
}

// halfDeaf is a connection on which the last message of a hello is damaged.
type halfDeaf struct{ net.Conn }

func (c halfDeaf) Write(b []byte) (int, error) {
	if len(b) == proofBytes {
		b = make([]byte, len(b))
	}
	return c.Conn.Write(b)
}

// TestAdmitOnce: a rank has one connection.
func TestAdmitOnce(t *testing.T) {
	first, second := net.Pipe()
	d := &door{conns: make([]net.Conn, 3), missing: 2, complete: make(chan struct{})}
	if !d.admit(1, first) || d.admit(1, second) || d.conns[1] != first {
		t.Error("the second connection of rank 1 is kept")
	}
	if !d.admit(2, second) {
		t.Error("rank 2 is sent away")
	}
	<-d.complete
}

// TestHostilePeer: a peer that sends what is no frame, or leaves, fails the run; the
// error names it and no byte has changed.
func TestHostilePeer(t *testing.T) {
	for name, b := range map[string][]byte{
		"garbage":       noise(1 << 12),
		"half a header": noise(11),
		"nothing":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t, untouched)
			conn := v.join(t)
			if _, err := conn.Write(b); err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
			if err := within20(t, v.ended); err == nil || errors.Is(err, errTouched) || !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}

// TestWrongCards: ranks that do not agree are told so.
func TestWrongCards(t *testing.T) {
	cfg := Config{LLCM: 4096}
	own, other := newCard(&cfg, []string{"127.0.0.1:1"}), newCard(&Config{LLCM: 8192}, []string{"127.0.0.1:2"})
	unsummed := newCard(&Config{LLCM: 4096, Unsummed: true}, []string{"127.0.0.1:2"})
	good := newCard(&cfg, []string{"127.0.0.1:3"})
	if _, _, err := cards([][]byte{own.append(nil), good.append(nil)}, own, 0); err != nil {
		t.Error(err)
	}
	for name, blobs := range map[string][][]byte{
		"another LLCM": {own.append(nil), other.append(nil)},
		"unsummed":     {own.append(nil), unsummed.append(nil)},
		"a short card": {own.append(nil), good.append(nil)[:20]},
		"a long card":  {own.append(nil), append(good.append(nil), make([]byte, 1000)...)},
		"no address":   {own.append(nil), good.append(nil)[:cardBytes+4]},
		"not the own":  {good.append(nil), good.append(nil)},
		"none":         nil,
	} {
		if _, _, err := cards(blobs, own, 0); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
