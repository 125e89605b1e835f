package quic

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

// TestStrangers: who is not of the run is sent away, and the run does not mind.
func TestStrangers(t *testing.T) {
	v := newVictim(t, untouched)
	late := make(chan struct{})
	second := run(apart{at: v.at, rank: 1, late: late}, v.other(t), touch)
	address := v.card(t).Addresses[0]
	at, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := identity.NewAuthority(2)
	if err != nil {
		t.Fatal(err)
	}
	key := []byte("a key of no run")
	for name, cfg := range map[string]*tls.Config{
		"no certificate": {NextProtos: issue(t, v.authority, 1).Client(0).NextProtos},
		"another job":    issue(t, stranger, 1).Client(0),
		"another key":    issue(t, v.authority, 1).Client(0), // it is of the job, and of another run
		"the own rank":   issue(t, v.authority, 0).Client(0),
		"other words":    {NextProtos: []string{"h3"}},
	} {
		cfg.InsecureSkipVerify = true // strangers do not care who answers
		if err := call(t, at, cfg, key); err == nil {
			t.Errorf("%s: let in", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	// Who says nothing keeps nobody waiting.
	if _, err := caller(t).Dial(t.Context(), at, issue(t, v.authority, 1).Client(0), nil); err != nil {
		t.Error(err)
	}
	flood(t, address)
	close(late)
	for rank, ended := range []chan error{v.ended, second} {
		if err := within20(t, ended); err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// call tries to be rank 1, and returns nil when rank 0 believes it.
func call(t *testing.T, at net.Addr, cfg *tls.Config, key []byte) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, err := caller(t).Dial(ctx, at, cfg, nil)
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseWithError(0, "") }()
	if _, err := sayHello(conn, key, 1, 0); err != nil {
		return err
	}
	_, err = conn.AcceptUniStream(ctx) // on which rank 0 would prove itself
	return err
}

// flood sends datagrams that are no packets, or like packets of all kinds.
func flood(t *testing.T, address string) {
	t.Helper()
	conn, err := net.Dial("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for kind := range 256 {
		for _, n := range []int{1, 20, 1252, 9000} {
			b := noise(n)
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

// TestHostilePeer: a peer that sends what is no frame, or leaves, fails the run; the
// error names it and no byte has changed.
func TestHostilePeer(t *testing.T) {
	for name, attack := range map[string]func(*peer) error{
		"garbage": func(p *peer) error { _, err := p.out.Write(noise(1 << 12)); return err },
		"half a header": func(p *peer) error {
			_, err := p.out.Write(noise(11))
			return errors.Join(err, p.out.Close())
		},
		"a reset": func(p *peer) error { p.out.CancelWrite(1); return nil },
		"an end":  func(p *peer) error { return p.conn.CloseWithError(codeOver, "") },
		"a broken connection": func(p *peer) error {
			return p.conn.CloseWithError(codeRefused, strings.Repeat("x", 1000))
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t, untouched)
			if err := attack(v.join(t).peers[0]); err != nil {
				t.Fatal(err)
			}
			if err := within20(t, v.ended); err == nil || errors.Is(err, errTouched) || !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}

// TestLiar: a rank that calls itself another is sent away by its certificate, whatever it
// knows; and a run says which rank has not come.
func TestLiar(t *testing.T) {
	authority, err := identity.NewAuthority(3)
	if err != nil {
		t.Fatal(err)
	}
	m := newMeeting(3)
	ended := run(apart{at: m}, Config{Identity: issue(t, authority, 0), Joining: time.Second}, untouched)
	liar := issue(t, authority, 1)
	cfg, err := Config{Identity: liar}.withDefaults(3)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = meet(t.Context(), &cfg, apart{at: m, rank: 2}, []string{"127.0.0.1:1"}) }() // and no more
	r, err := meet(t.Context(), &cfg, apart{at: m, rank: 1}, []string{"127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	at, err := net.ResolveUDPAddr("udp", r.addresses[0][0])
	if err != nil {
		t.Fatal(err)
	}
	conn, err := caller(t).Dial(t.Context(), at, liar.Client(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sayHello(conn, r.key, 2, 0); err != nil {
		t.Fatal(err)
	}
	var refused *quicgo.ApplicationError
	if _, err := conn.AcceptUniStream(t.Context()); !errors.As(err, &refused) || refused.ErrorCode != codeRefused {
		t.Errorf("the liar is told %v", err)
	}
	if err := within20(t, ended); err == nil || !strings.Contains(err.Error(), "2 of 3 ranks have not connected, the first of them rank 1") {
		t.Errorf("Run returned %v", err)
	}
}

// TestLoss: who is told that a rank is gone fails the run, and all others know.
func TestLoss(t *testing.T) {
	m, lost := newMeeting(3), make(chan func(dimmnet.Rank, error), 3)
	var all []chan error
	for rank := range dimmnet.Rank(3) {
		all = append(all, run(apart{at: m, rank: rank, lost: lost}, Config{}, untouched))
	}
	(<-lost)(2, errors.New("no heartbeat"))
	for rank, ended := range all {
		if err := within20(t, ended); err == nil || !strings.Contains(err.Error(), "rank 2") || !strings.Contains(err.Error(), "no heartbeat") {
			t.Errorf("rank %d: Run returned %v", rank, err)
		}
	}
}

// TestWrongCards: ranks that do not agree are told so.
func TestWrongCards(t *testing.T) {
	m := newMeeting(2)
	at := func(rank dimmnet.Rank, cfg Config) *card {
		cfg, err := cfg.withDefaults(2)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCard(&cfg, apart{at: m, rank: rank}, []string{"127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const none = "" // is wrong
	for _, c := range []struct {
		name, want string
		change     func(first, second *card)
	}{
		{"good", none, func(*card, *card) {}},
		{"another LLCM", "same configuration", func(_, second *card) { second.Form.LLCM = 8 }},
		{"an identity of its own", "same configuration", func(_, second *card) { second.Form.Identified = true }},
		{"no share", "bytes of a key", func(first, _ *card) { first.Share = nil }},
		{"no address", "0 addresses", func(_, second *card) { second.Addresses = nil }},
		{"too few identities", "1 identities for 2", func(first, _ *card) { first.Identities = first.Identities[:1] }},
		{"no identity", "rank 0 has made", func(first, _ *card) { first.Identities[1] = nil }},
		{"another's identity", "for rank 1", func(first, _ *card) { first.Identities[1] = first.Identities[0] }},
	} {
		first, second := at(0, Config{}), at(1, Config{})
		own := second.Form
		c.change(first, second)
		var blobs [][]byte
		for _, one := range []*card{first, second} {
			b, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			blobs = append(blobs, b)
		}
		_, err := read(blobs, own, nil, apart{at: m, rank: 1})
		if c.want == none && err != nil || c.want != none && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := read([][]byte{[]byte("{"), nil}, form{}, nil, apart{at: m, rank: 1}); err == nil {
		t.Error("half a card is taken")
	}
}
