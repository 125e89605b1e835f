package quic

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

// TestForeignConnections checks that connections that do not belong to the run are refused, and
// that the run goes on.
func TestForeignConnections(t *testing.T) {
	v := newVictim(t, meshtest.Untouched)
	late := make(chan struct{})
	second := start(meshtest.Member{At: v.at, Self: 1, Late: late}, v.other(t), meshtest.Touch)
	address := v.endpoint(t).Addresses[0]
	at, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	foreign := meshtest.NewAuthority(t, 2)
	key := []byte("a key of no run")
	for name, cfg := range map[string]*tls.Config{
		"no certificate": {NextProtos: meshtest.Issue(t, v.authority, 1).Client(0).NextProtos},
		"another job":    meshtest.Issue(t, foreign, 1).Client(0),
		"another key":    meshtest.Issue(t, v.authority, 1).Client(0), // of an earlier run
		"the own rank":   meshtest.Issue(t, v.authority, 0).Client(0),
		"ALPN of HTTP/3": {NextProtos: []string{"h3"}},
	} {
		cfg.InsecureSkipVerify = true // the attacker does not check the victim
		if err := attempt(t, at, cfg, key); err == nil {
			t.Errorf("%s: admitted, want a refusal", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	// A silent connection does not delay the run.
	if _, err := newTransport(t).Dial(t.Context(), at, meshtest.Issue(t, v.authority, 1).Client(0), nil); err != nil {
		t.Error(err)
	}
	flood(t, address)
	close(late)
	for rank, ended := range []chan error{v.result, second} {
		if err := meshtest.Result(t, ended); err != nil {
			t.Errorf("rank %d: Run returned %v, want no error", rank, err)
		}
	}
}

// TestReplayedProof checks that the proof of one connection is invalid on another, even on one of
// the same rank in the same run.
func TestReplayedProof(t *testing.T) {
	v := newVictim(t, meshtest.Untouched)
	cfg, err := v.other(t).WithDefaults(networkName, 2)
	if err != nil {
		t.Fatal(err)
	}
	peers, id, err := exchange(t.Context(), &cfg, meshtest.Member{At: v.at, Self: 1}, []string{"127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	at, err := net.ResolveUDPAddr("udp", peers.Endpoints[0].Addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	var conns [2]*quicgo.Conn
	for i := range conns {
		if conns[i], err = newTransport(t).Dial(t.Context(), at, id.Client(0), quicConfig(&cfg)); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := proof(conns[0], peers.Key, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, conn := range []*quicgo.Conn{conns[1], conns[0]} { // the right connection is the last
		s, err := conn.OpenUniStream()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write(recorded); err != nil {
			t.Fatal(err)
		}
		_, err = conn.AcceptUniStream(t.Context())
		var refused *quicgo.ApplicationError
		if conn == conns[0] && err != nil {
			t.Errorf("the proof on its own connection: %v, want to be admitted", err)
		} else if conn != conns[0] && (!errors.As(err, &refused) || refused.ErrorCode != codeRefused) {
			t.Fatalf("the replayed proof: the connection ends with %v, want codeRefused", err)
		}
	}
	_ = conns[0].CloseWithError(codeOver, "")
	if err := meshtest.Result(t, v.result); err == nil || meshtest.IsChanged(err) {
		t.Errorf("Run returned %v, want the end of rank 1", err)
	}
}

// attempt tries to connect as rank 1. It returns nil if rank 0 admits the connection.
func attempt(t *testing.T, at net.Addr, cfg *tls.Config, key []byte) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, err := newTransport(t).Dial(ctx, at, cfg, nil)
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseWithError(0, "") }()
	if _, err := openStream(conn, key, 1, 0); err != nil {
		return err
	}
	_, err = conn.AcceptUniStream(ctx) // rank 0 opens a stream only to a rank that it admits
	return err
}

// flood sends datagrams that are invalid packets, some with a valid version.
func flood(t *testing.T, address string) {
	t.Helper()
	conn, err := net.Dial("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for kind := range 256 {
		for _, n := range []int{1, 20, 1252, 9000} {
			b := meshtest.Noise(n)
			b[0] = byte(kind)
			if n > 5 && kind%2 == 0 {
				copy(b[1:], []byte{0, 0, 0, 1}) // the version
			}
			if _, err := conn.Write(b); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestHostilePeer checks that a peer that sends an invalid frame, or leaves, fails the run. The
// error names the peer, and no byte has changed.
func TestHostilePeer(t *testing.T) {
	for name, attack := range map[string]func(*peer) error{
		"garbage": func(p *peer) error { _, err := p.out.Write(meshtest.Noise(1 << 12)); return err },
		"half a header": func(p *peer) error {
			_, err := p.out.Write(meshtest.Noise(11))
			return errors.Join(err, p.out.Close())
		},
		"a reset": func(p *peer) error { p.out.CancelWrite(1); return nil },
		"an end":  func(p *peer) error { return p.conn.CloseWithError(codeOver, "") },
		"a broken connection": func(p *peer) error {
			return p.conn.CloseWithError(codeRefused, strings.Repeat("x", 1000))
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t, meshtest.Untouched)
			if err := attack(v.join(t).peers[0]); err != nil {
				t.Fatal(err)
			}
			if err := meshtest.Result(t, v.result); err == nil || meshtest.IsChanged(err) || !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("Run returned %v, want an error that names rank 1", err)
			}
		})
	}
}

// TestImpersonation checks that a rank that claims to be another is refused because of its
// certificate, and that the error of the run names a rank that has not connected.
func TestImpersonation(t *testing.T) {
	authority := meshtest.NewAuthority(t, 3)
	m := meshtest.NewMeeting(3)
	ended := start(meshtest.Member{At: m}, Config{Identity: meshtest.Issue(t, authority, 0), Joining: time.Second}, meshtest.Untouched)
	liar := meshtest.Issue(t, authority, 1)
	cfg, err := Config{Identity: liar}.WithDefaults(networkName, 3)
	if err != nil {
		t.Fatal(err)
	}
	addresses := []string{"127.0.0.1:1"}
	// Rank 2 passes on its endpoint, and does not connect.
	go func() { _, _, _ = exchange(t.Context(), &cfg, meshtest.Member{At: m, Self: 2}, addresses) }()
	peers, _, err := exchange(t.Context(), &cfg, meshtest.Member{At: m, Self: 1}, addresses)
	if err != nil {
		t.Fatal(err)
	}
	at, err := net.ResolveUDPAddr("udp", peers.Endpoints[0].Addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	conn, err := newTransport(t).Dial(t.Context(), at, liar.Client(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openStream(conn, peers.Key, 2, 0); err != nil {
		t.Fatal(err)
	}
	var refused *quicgo.ApplicationError
	if _, err := conn.AcceptUniStream(t.Context()); !errors.As(err, &refused) || refused.ErrorCode != codeRefused {
		t.Errorf("the connection ends with %v, want codeRefused", err)
	}
	if err := meshtest.Result(t, ended); err == nil || !strings.Contains(err.Error(), "2 of 3 ranks have not connected, the lowest is rank 1") {
		t.Errorf("Run returned %v", err)
	}
}

func TestLoss(t *testing.T) {
	meshtest.Loss(t, func(m dimmnet.Member) dimmnet.Network { return Join(Config{}, m) })
}

// TestWrongIdentities checks that no rank starts if the ranks disagree about identities, or if the
// identities from rank 0 are invalid.
func TestWrongIdentities(t *testing.T) {
	m := meshtest.NewMeeting(2)
	endpoint := func(rank dimmnet.Rank) *mesh.Endpoint {
		cfg, err := Config{}.WithDefaults(networkName, 2)
		if err != nil {
			t.Fatal(err)
		}
		e, err := newEndpoint(&cfg, meshtest.Member{At: m, Self: rank}, []string{"127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	const none = "" // no error
	for _, c := range []struct {
		name, want string
		change     func(first, second *mesh.Endpoint)
	}{
		{"good", none, func(*mesh.Endpoint, *mesh.Endpoint) {}},
		{"another LLCM", "same configuration", func(first, _ *mesh.Endpoint) { first.Form.LLCM = 8 }},
		{"an identity of its own", "same configuration", func(first, _ *mesh.Endpoint) { first.Form.Identified = true }},
		{"no share", "bytes of a key share", func(first, _ *mesh.Endpoint) { first.Share = nil }},
		{"no address", "0 addresses", func(first, _ *mesh.Endpoint) { first.Addresses = nil }},
		{"too few identities", "1 identities for 2", func(first, _ *mesh.Endpoint) { first.Identities = first.Identities[:1] }},
		{"no identity", "rank 0 has issued", func(first, _ *mesh.Endpoint) { first.Identities[1] = nil }},
		{"another's identity", "for rank 1", func(first, _ *mesh.Endpoint) { first.Identities[1] = first.Identities[0] }},
	} {
		first, second := endpoint(0), endpoint(1)
		c.change(first, second)
		var blobs [][]byte
		for _, one := range []*mesh.Endpoint{first, second} {
			b, err := one.Encode()
			if err != nil {
				t.Fatal(err)
			}
			blobs = append(blobs, b)
		}
		self := meshtest.Member{At: m, Self: 1}
		peers, err := mesh.NewPeers(networkName, blobs, second, self)
		if err == nil {
			_, err = issued(peers.Endpoints[0].Identities, self)
		}
		if c.want == none && err != nil || c.want != none && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	second := endpoint(1)
	own, err := second.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mesh.NewPeers(networkName, [][]byte{[]byte("{"), own}, second, meshtest.Member{At: m, Self: 1}); err == nil {
		t.Error("a truncated endpoint is accepted")
	}
}
