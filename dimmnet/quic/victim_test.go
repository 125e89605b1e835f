package quic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

// meeting is where the ranks of a test tell each other their cards.
type meeting struct {
	mu    sync.Mutex
	blobs [][]byte
	here  int
	all   chan struct{} // closed when all are here
}

func newMeeting(nodes int) *meeting {
	return &meeting{blobs: make([][]byte, nodes), all: make(chan struct{})}
}

// apart is a rank of a meeting as a process of its own would be.
type apart struct {
	at   *meeting
	rank dimmnet.Rank
	late chan struct{}                  // it goes on when that is closed; nil: at once
	lost chan func(dimmnet.Rank, error) // whom OnLoss was given; nil if nobody wants him
}

func (a apart) Rank() dimmnet.Rank { return a.rank }
func (a apart) Size() int          { return len(a.at.blobs) }

func (a apart) OnLoss(lost func(dimmnet.Rank, error)) {
	if a.lost != nil && lost != nil {
		a.lost <- lost
	}
}

func (a apart) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	m := a.at
	m.mu.Lock()
	m.blobs[a.rank] = own
	if m.here++; m.here == len(m.blobs) {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if a.late != nil {
		<-a.late
	}
	return m.blobs, nil
}

// still is a Stepper that only waits.
type still struct{}

func (still) Step() (bool, error) { return false, nil }

func noise(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i*7 + i>>8 + 1)
	}
	return p
}

// errTouched is what a victim says whose memory has changed.
var errTouched = errors.New("the memory has changed")

// untouched waits until somebody stores 1 to word 0, and complains if anything else has
// changed.
func untouched(h dimmnet.Host) error {
	p := h.Port()
	err := dimmnet.Drive(p, still{}, func() bool { return p.Load(0) == 1 })
	memory := make([]byte, p.Limits().LLCM)
	p.Read(memory, 0)
	if len(bytes.Trim(memory[word:], "\x00")) > 0 {
		return errTouched
	}
	return err
}

// touch is the other rank's body.
func touch(h dimmnet.Host) error {
	h.Port().Store(0, 0, 1, 8)
	return nil
}

// run starts a rank of a meeting.
func run(a apart, cfg Config, body func(dimmnet.Host) error) (ended chan error) {
	ended = make(chan error, 1)
	go func() { ended <- Join(cfg, a).Run(context.Background(), a.Size(), body) }()
	return ended
}

// victim is rank 0 of two, which have identities.
type victim struct {
	at        *meeting
	authority *identity.Authority
	ended     chan error // of its Run
}

func newVictim(t *testing.T, body func(dimmnet.Host) error) *victim {
	t.Helper()
	v := &victim{at: newMeeting(2)}
	var err error
	if v.authority, err = identity.NewAuthority(2); err != nil {
		t.Fatal(err)
	}
	v.ended = run(apart{at: v.at}, Config{Identity: issue(t, v.authority, 0)}, body)
	return v
}

func issue(t *testing.T, a *identity.Authority, rank dimmnet.Rank) *identity.Identity {
	t.Helper()
	id, err := a.Issue(rank)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// other is the configuration of rank 1.
func (v *victim) other(t *testing.T) Config {
	t.Helper()
	return Config{Identity: issue(t, v.authority, 1)}
}

// join joins as rank 1, of which the test does the rest.
func (v *victim) join(t *testing.T) *joined {
	t.Helper()
	cfg, err := v.other(t).withDefaults(2)
	if err != nil {
		t.Fatal(err)
	}
	j, err := connect(t.Context(), &cfg, apart{at: v.at, rank: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	return j
}

// card is that of rank 0, when all have told theirs.
func (v *victim) card(t *testing.T) card {
	t.Helper()
	<-v.at.all
	var c card
	if err := json.Unmarshal(v.at.blobs[0], &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// caller is a socket of a stranger's.
func caller(t *testing.T) *quicgo.Transport {
	t.Helper()
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	transport := &quicgo.Transport{Conn: socket}
	t.Cleanup(func() {
		_ = transport.Close()
		_ = socket.Close()
	})
	return transport
}

func within20(t *testing.T, result chan error) error {
	t.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("a run does not end")
		return nil
	}
}
