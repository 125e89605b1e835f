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
	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

var attempts = flag.Int("attempts", 200, "how often TestAttempts tries to get in")

func issue(t *testing.T, a *identity.Authority, rank dimmnet.Rank) *identity.Identity {
	t.Helper()
	id, err := a.Issue(rank)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newAuthority(t *testing.T, size int) *identity.Authority {
	t.Helper()
	a, err := identity.NewAuthority(size)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// attempt is one at a connection; it fails unless the victim lets it in.
type attempt struct {
	name string
	call func(conn net.Conn) error
}

// introduce is a hello over TLS, as rank self, with the identity id.
func introduce(conn net.Conn, id *identity.Identity, key []byte, self dimmnet.Rank) error {
	conn, err := dialTLS(conn, id, 0)
	if err != nil {
		return err
	}
	return dialHello(conn, key, self, 0)
}

// silence reads until the victim ends the connection. A byte, which only who is let in is
// sent, is no error.
func silence(conn net.Conn) error {
	_, err := io.ReadFull(conn, make([]byte, answerBytes+1))
	return err
}

func plainAttempts(key, stale []byte) []attempt {
	return []attempt{
		{"nothing at all", func(net.Conn) error { return errors.New("it hangs up") }},
		{"garbage", func(c net.Conn) error { _, err := c.Write(noise(100)); return errors.Join(err, silence(c)) }},
		{"half a hello", func(c net.Conn) error { _, err := c.Write(noise(7)); return errors.Join(err, io.EOF) }},
		{"wrong key", func(c net.Conn) error { return dialHello(c, noise(len(key)), 1, 0) }},
		{"stale epoch", func(c net.Conn) error { return dialHello(c, stale, 1, 0) }},
		{"no such rank", func(c net.Conn) error { return dialHello(c, key, 3, 0) }},
		{"another's rank", func(c net.Conn) error { return dialHello(c, key, 0, 0) }},
		{"another is called", func(c net.Conn) error { return dialHello(c, key, 2, 1) }},
		{"no proof, and more", func(c net.Conn) error {
			if err := dialHello(halfDeaf{c}, key, 1, 0); err != nil {
				return err
			}
			_, _ = c.Write(noise(1000))
			return silence(c)
		}},
	}
}

func tlsAttempts(t *testing.T, a *identity.Authority, key, stale []byte) []attempt {
	other := newAuthority(t, 3)
	one, two, zero, stranger := issue(t, a, 1), issue(t, a, 2), issue(t, a, 0), issue(t, other, 1)
	over := func(cfg *tls.Config, c net.Conn) error {
		cfg.InsecureSkipVerify = true // the attempt is on the victim
		return dialHello(tls.Client(c, cfg), key, 1, 0)
	}
	nobody := func() *tls.Config { cfg := one.Client(0); cfg.Certificates = nil; return cfg }
	return []attempt{
		{"not encrypted", func(c net.Conn) error { return dialHello(c, key, 1, 0) }},
		{"no certificate", func(c net.Conn) error { return over(nobody(), c) }},
		{"another job's", func(c net.Conn) error { return over(stranger.Client(0), c) }},
		{"the victim's own", func(c net.Conn) error { return over(zero.Client(1), c) }},
		{"another rank's", func(c net.Conn) error { return introduce(c, two, key, 1) }},
		{"wrong key", func(c net.Conn) error { return introduce(c, one, noise(len(key)), 1) }},
		{"stale epoch", func(c net.Conn) error { return introduce(c, one, stale, 1) }},
		{"garbage", func(c net.Conn) error { _, err := c.Write(noise(100)); return errors.Join(err, silence(c)) }},
	}
}

// TestAttempts: whoever is not of the run is not let in, however often he tries; the run
// goes on, and no byte of memory has changed.
func TestAttempts(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for name, encrypt := range map[string]bool{"plain": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			a := newAuthority(t, 3)
			cfgs := make([]Config, 3)
			for rank := range cfgs {
				cfgs[rank].Joining = time.Hour
				if encrypt {
					cfgs[rank].Identity = issue(t, a, dimmnet.Rank(rank))
				}
			}
			v := newBesieged(t, cfgs)
			stale := bytes.Repeat([]byte{7}, len(v.key)) // of another run
			all := plainAttempts(v.key, stale)
			if encrypt {
				all = tlsAttempts(t, a, v.key, stale)
			}
			for range *attempts {
				one := all[random.IntN(len(all))]
				if err := v.try(one); err == nil {
					t.Fatalf("seed %d: %s: let in", seed, one.name)
				}
			}
			v.forge(t)
			v.succeed(t)
		})
	}
}

// try makes an attempt. Who is let in hangs up as well, so that the run would fail.
func (v *victim) try(one attempt) error {
	conn, err := net.Dial("tcp", v.address)
	if err != nil {
		return nil // no door: somebody was let in
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if err := one.call(conn); err != nil {
		return err
	}
	// The hello lacks nothing for who has made it: who is let in is not hung up on.
	if err := silence(conn); !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return nil
}

// forge sends what is no beat to where the victim hears them.
func (v *victim) forge(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("udp", v.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for i := range *attempts {
		_, _ = conn.Write(noise(sealedBeat - i%2))
	}
}

// TestForgedBeats: a beat counts if it is of this run and newer than the last.
func TestForgedBeats(t *testing.T) {
	j := &joined{conns: make([]net.Conn, 3), key: noise(32)}
	self, peer := newBeats(0, j), newBeats(1, j)
	stranger := newBeats(1, &joined{conns: make([]net.Conn, 3), key: noise(33)})
	good := peer.append(nil, 1, 5)
	for name, p := range map[string][]byte{
		"another key":  stranger.append(nil, 1, 9),
		"no such rank": peer.append(nil, 3, 9),
		"too short":    good[:len(good)-1],
		"too long":     append(bytes.Clone(good), 0),
		"nothing":      nil,
	} {
		if self.take(p); self.heard[1] != 0 {
			t.Errorf("%s: taken", name)
		}
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 4
		if self.take(bad); self.heard[0]+self.heard[1]+self.heard[2] != 0 {
			t.Errorf("taken though byte %d is another", i)
		}
	}
	for _, beat := range [][2]uint64{{5, 5}, {4, 5}, {5, 5}, {6, 6}} {
		if self.take(peer.append(nil, 1, beat[0])); self.heard[1] != beat[1] {
			t.Errorf("after beat %d the last is %d, want %d", beat[0], self.heard[1], beat[1])
		}
	}
}
