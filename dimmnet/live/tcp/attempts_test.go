//go:build linux

package tcp

import (
	"bytes"
	"crypto/tls"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

var attempts = flag.Int("attempts", 200, "how many connections TestAttempts tries")

// attempt is an attempt to be admitted. call returns an error unless the victim admits it.
type attempt struct {
	name string
	call func(conn net.Conn) error
}

// tlsHandshake performs the handshake over TLS as rank self, with identity id.
func tlsHandshake(conn net.Conn, id *identity.Identity, key []byte, self dimmnet.Rank) error {
	conn, err := dialTLS(conn, id, 0)
	if err != nil {
		return err
	}
	return dialHandshake(conn, key, self, 0)
}

// drain reads until the victim ends the connection. It returns nil if the victim sends more than
// the answer of a handshake: the victim does so only to a rank that it has admitted.
func drain(conn net.Conn) error {
	_, err := io.ReadFull(conn, make([]byte, answerBytes+1))
	return err
}

func plainAttempts(key, stale []byte) []attempt {
	return []attempt{
		{"nothing at all", func(net.Conn) error { return errors.New("it hangs up") }},
		{"garbage", func(c net.Conn) error { _, err := c.Write(meshtest.Noise(100)); return errors.Join(err, drain(c)) }},
		{"half a handshake", func(c net.Conn) error { _, err := c.Write(meshtest.Noise(7)); return errors.Join(err, io.EOF) }},
		{"wrong key", func(c net.Conn) error { return dialHandshake(c, meshtest.Noise(len(key)), 1, 0) }},
		{"stale epoch", func(c net.Conn) error { return dialHandshake(c, stale, 1, 0) }},
		{"no such rank", func(c net.Conn) error { return dialHandshake(c, key, 3, 0) }},
		{"rank of the victim", func(c net.Conn) error { return dialHandshake(c, key, 0, 0) }},
		{"another rank is dialed", func(c net.Conn) error { return dialHandshake(c, key, 2, 1) }},
		{"no proof, and more", func(c net.Conn) error {
			if err := dialHandshake(badProof{c}, key, 1, 0); err != nil {
				return err
			}
			_, _ = c.Write(meshtest.Noise(1000))
			return drain(c)
		}},
	}
}

func tlsAttempts(t *testing.T, a *identity.Authority, key, stale []byte) []attempt {
	other := meshtest.NewAuthority(t, 3)
	one, two, zero, foreign := meshtest.Issue(t, a, 1), meshtest.Issue(t, a, 2), meshtest.Issue(t, a, 0), meshtest.Issue(t, other, 1)
	over := func(cfg *tls.Config, c net.Conn) error {
		cfg.InsecureSkipVerify = true // the attacker does not check the victim
		return dialHandshake(tls.Client(c, cfg), key, 1, 0)
	}
	nobody := func() *tls.Config { cfg := one.Client(0); cfg.Certificates = nil; return cfg }
	return []attempt{
		{"not encrypted", func(c net.Conn) error { return dialHandshake(c, key, 1, 0) }},
		{"no certificate", func(c net.Conn) error { return over(nobody(), c) }},
		{"certificate of another job", func(c net.Conn) error { return over(foreign.Client(0), c) }},
		{"certificate of the victim", func(c net.Conn) error { return over(zero.Client(1), c) }},
		{"certificate of another rank", func(c net.Conn) error { return tlsHandshake(c, two, key, 1) }},
		{"wrong key", func(c net.Conn) error { return tlsHandshake(c, one, meshtest.Noise(len(key)), 1) }},
		{"stale epoch", func(c net.Conn) error { return tlsHandshake(c, one, stale, 1) }},
		{"garbage", func(c net.Conn) error { _, err := c.Write(meshtest.Noise(100)); return errors.Join(err, drain(c)) }},
	}
}

// TestAttempts checks that no attempt to be admitted succeeds, that the run goes on, and that no
// byte of memory has changed.
func TestAttempts(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for name, encrypt := range map[string]bool{"plain": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			a := meshtest.NewAuthority(t, 3)
			cfgs := make([]Config, 3)
			for rank := range cfgs {
				cfgs[rank].Joining = time.Hour
				if encrypt {
					cfgs[rank].Identity = meshtest.Issue(t, a, dimmnet.Rank(rank))
				}
			}
			v := newBesieged(t, cfgs)
			stale := bytes.Repeat([]byte{7}, len(v.key)) // the key of another run
			all := plainAttempts(v.key, stale)
			if encrypt {
				all = tlsAttempts(t, a, v.key, stale)
			}
			for range *attempts {
				one := all[random.IntN(len(all))]
				if err := v.try(one); err == nil {
					t.Fatalf("seed %d: %s: admitted, want a refusal", seed, one.name)
				}
			}
			v.forge(t)
			v.succeed(t)
		})
	}
}

// try makes an attempt, and closes the connection. The run fails, too, if the attempt is admitted.
func (v *victim) try(one attempt) error {
	conn, err := net.Dial("tcp", v.address)
	if err != nil {
		return nil // the listener is closed: an attempt was admitted
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if err := one.call(conn); err != nil {
		return err
	}
	// The attacker has completed the handshake. The victim keeps the connection if it was
	// admitted.
	if err := drain(conn); !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return nil
}

// forge sends invalid beats to the victim.
func (v *victim) forge(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("udp", v.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for i := range *attempts {
		_, _ = conn.Write(meshtest.Noise(sealedBeat - i%2))
	}
}

// TestForgedBeats checks that a beat counts only if it belongs to this run and is newer than the
// last one.
func TestForgedBeats(t *testing.T) {
	j := &joined{conns: make([]net.Conn, 3), key: meshtest.Noise(32)}
	self, peer := newBeats(0, j), newBeats(1, j)
	foreign := newBeats(1, &joined{conns: make([]net.Conn, 3), key: meshtest.Noise(33)})
	good := peer.append(nil, 1, 5)
	for name, p := range map[string][]byte{
		"another key":  foreign.append(nil, 1, 9),
		"no such rank": peer.append(nil, 3, 9),
		"too short":    good[:len(good)-1],
		"too long":     append(bytes.Clone(good), 0),
		"nothing":      nil,
	} {
		if self.process(p); self.heard[1] != 0 {
			t.Errorf("%s: accepted, want a refusal", name)
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 4
		if self.process(bad); self.heard[0]+self.heard[1]+self.heard[2] != 0 {
			t.Errorf("accepted although byte %d has changed", i)
		}
	}
	for _, beat := range [][2]uint64{{5, 5}, {4, 5}, {5, 5}, {6, 6}} {
		if self.process(peer.append(nil, 1, beat[0])); self.heard[1] != beat[1] {
			t.Errorf("after beat %d the last number is %d, want %d", beat[0], self.heard[1], beat[1])
		}
	}
}
