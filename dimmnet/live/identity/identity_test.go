package identity

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func issue(t *testing.T, a *Authority, rank dimmnet.Rank) *Identity {
	t.Helper()
	id, err := a.Issue(rank)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(id.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if back.Rank() != rank || back.Size() != a.size {
		t.Fatalf("parsed %v, want rank %d of %d", back, rank, a.size)
	}
	return back
}

func authority(t *testing.T, size int) *Authority {
	t.Helper()
	a, err := NewAuthority(size)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shake connects client to server, and returns the state of the connection on both sides.
func shake(t *testing.T, client, server *tls.Config) (c, s tls.ConnectionState, err error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	answered := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			defer func() { _ = conn.Close() }()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			at := tls.Server(conn, server)
			err = at.Handshake()
			s = at.ConnectionState()
		}
		answered <- err
	}()
	raw, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	_ = raw.SetDeadline(time.Now().Add(20 * time.Second))
	conn := tls.Client(raw, client)
	if err := conn.Handshake(); err != nil {
		_ = raw.Close()
		<-answered
		return c, s, err
	}
	return conn.ConnectionState(), s, <-answered
}

func TestRanksKnowEachOther(t *testing.T) {
	a := authority(t, 300)
	one, two := issue(t, a, 1), issue(t, a, 299)
	c, s, err := shake(t, two.Client(1), one.Server())
	if err != nil {
		t.Fatal(err)
	}
	if peer, err := one.Peer(s); err != nil || peer != 299 {
		t.Errorf("rank 1 accepted rank %d, %v: want 299", peer, err)
	}
	if peer, err := two.Peer(c); err != nil || peer != 1 {
		t.Errorf("rank 299 connected to rank %d, %v: want 1", peer, err)
	}
	if !bytes.Equal(one.Key("gossip"), two.Key("gossip")) || bytes.Equal(one.Key("gossip"), one.Key("bulk")) || len(one.Key("gossip")) != 32 {
		t.Error("want keys of 32 bytes, the same on all ranks, and different for each purpose")
	}
}

func TestNonMembersAreRefused(t *testing.T) {
	a, other, larger := authority(t, 4), authority(t, 4), authority(t, 5)
	larger.key, larger.cert = a.key, a.cert // the same authority, another job size
	one, two := issue(t, a, 1), issue(t, a, 2)
	nobody := two.Client(1)
	nobody.Certificates = nil
	old := two.Client(1)
	old.MinVersion, old.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	blind := func(cfg *tls.Config) *tls.Config { cfg.InsecureSkipVerify = true; return cfg }
	for name, client := range map[string]*tls.Config{
		"another rank answers":              two.Client(3),
		"of another job":                    issue(t, other, 2).Client(1),
		"of another job, trusting everyone": blind(issue(t, other, 2).Client(1)),
		"the rank itself":                   blind(one.Client(1)),
		"of another size":                   blind(issue(t, larger, 2).Client(1)),
		"without a certificate":             nobody,
		"TLS 1.2":                           old,
	} {
		if _, _, err := shake(t, client, one.Server()); err == nil {
			t.Errorf("%s: admitted, want a refusal", name)
		}
	}
}

func TestDamagedIdentities(t *testing.T) {
	a := authority(t, 4)
	id := issue(t, a, 2)
	text, other := id.Encode(), issue(t, a, 3).Encode()
	for end := range text {
		if text[end] == '\n' && end < len(text)-1 {
			if _, err := Parse(text[:end]); err == nil && !bytes.Contains(text[end:], []byte("-----END")) {
				t.Errorf("the first %d of %d bytes are accepted", end, len(text))
			}
		}
	}
	swap := func(block int) []byte { // returns text with one block of the other identity
		parts, others := bytes.SplitAfter(text, []byte("-----\n")), bytes.SplitAfter(other, []byte("-----\n"))
		parts[2*block+1] = others[2*block+1]
		return bytes.Join(parts, nil)
	}
	if _, err := Parse(swap(1)); err == nil {
		t.Error("the key of another rank was accepted")
	}
	if _, err := Parse(swap(0)); err == nil {
		t.Error("the certificate of another rank was accepted")
	}
	foreign := issue(t, authority(t, 4), 2)
	foreign.ca = id.ca
	if _, err := Parse(foreign.Encode()); err == nil {
		t.Error("a certificate of another authority was accepted")
	}
	if _, err := Parse(nil); err == nil {
		t.Error("an empty identity was accepted")
	}
	if s := fmt.Sprint(id); s != "rank 2 of 4" || strings.Contains(s, "KEY") {
		t.Errorf("the identity is printed as %q, want only its rank and the size of the job", s)
	}
}

func TestNames(t *testing.T) {
	for _, s := range []string{"", "rank-1-of-0.fagus", "rank-4-of-4.fagus", "rank--1-of-4.fagus", "rank-01-of-4.fagus", "rank-1-of-4.fagus.org", "rank-1-of-99999999.fagus"} {
		if rank, size, err := parseHostName(s); err == nil {
			t.Errorf("%q is accepted as rank %d of %d", s, rank, size)
		}
	}
	for _, size := range []int{0, dimmnet.MaxNodes + 1} {
		if _, err := NewAuthority(size); err == nil {
			t.Errorf("an authority for %d ranks is accepted", size)
		}
	}
	if _, err := authority(t, 3).Issue(3); err == nil {
		t.Error("rank 3 of 3 was issued")
	}
}
