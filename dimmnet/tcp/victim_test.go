//go:build linux

package tcp

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
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

func (m *meeting) gather(ctx context.Context, rank dimmnet.Rank, own []byte) ([][]byte, error) {
	m.mu.Lock()
	m.blobs[rank] = own
	if m.here++; m.here == len(m.blobs) {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
		return m.blobs, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// apart is a rank of a meeting as a process of its own would be.
type apart struct {
	at    *meeting
	rank  dimmnet.Rank
	cards chan [][]byte                  // what was gathered; nil if nobody wants it
	late  chan struct{}                  // it goes on when that is closed; nil: at once
	lost  chan func(dimmnet.Rank, error) // whom OnLoss was given; nil if nobody wants him
}

func (a apart) Rank() dimmnet.Rank { return a.rank }
func (a apart) Size() int          { return len(a.at.blobs) }

func (a apart) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	all, err := a.at.gather(ctx, a.rank, own)
	if a.cards != nil {
		a.cards <- all
	}
	if a.late != nil {
		<-a.late
	}
	return all, err
}

func (a apart) OnLoss(lost func(dimmnet.Rank, error)) {
	if a.lost != nil && lost != nil {
		a.lost <- lost
	}
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
	bulk := make([]byte, p.Limits().Bulk)
	p.Read(bulk, dimmnet.Offset(p.Limits().LLCM))
	if len(bytes.Trim(memory[word:], "\x00"))+len(bytes.Trim(bulk, "\x00")) > 0 {
		return errTouched
	}
	return err
}

// victim is rank 0 of a run.
type victim struct {
	address string
	key     []byte
	ended   chan error // of its Run
	others  []chan error
	late    chan struct{} // closed when the others may come
}

// run starts a rank of a meeting.
func run(a apart, cfg Config, body func(dimmnet.Host) error) (ended chan error) {
	cfg.Bulk = 1 << 16
	ended = make(chan error, 1)
	go func() { ended <- Join(cfg, a).Run(context.Background(), a.Size(), body) }()
	return ended
}

// newVictim is rank 0 of two, of which the test is the other.
func newVictim(t *testing.T, body func(dimmnet.Host) error) *victim {
	t.Helper()
	cfg, err := Config{Bulk: 1 << 16}.withDefaults(2)
	if err != nil {
		t.Fatal(err)
	}
	m := newMeeting(2)
	told := make(chan [][]byte, 1)
	v := &victim{ended: run(apart{at: m, cards: told}, Config{}, body)}
	own := newCard(&cfg, []string{"127.0.0.1:1"})
	if _, err := m.gather(t.Context(), 1, own.append(nil)); err != nil {
		t.Fatal(err)
	}
	v.learn(t, <-told)
	return v
}

// newBesieged is rank 0 of a run with these configurations by rank, of which the others
// come when they are let.
func newBesieged(t *testing.T, cfgs []Config) *victim {
	t.Helper()
	m := newMeeting(len(cfgs))
	told := make(chan [][]byte, 1)
	v := &victim{ended: run(apart{at: m, cards: told}, cfgs[0], untouched), late: make(chan struct{})}
	for rank := 1; rank < len(cfgs); rank++ {
		a := apart{at: m, rank: dimmnet.Rank(rank), late: v.late}
		v.others = append(v.others, run(a, cfgs[rank], func(h dimmnet.Host) error {
			if p := h.Port(); p.Rank() == 1 {
				p.Store(0, 0, 1, 8)
			}
			return nil
		}))
	}
	v.learn(t, <-told)
	return v
}

// learn finds out what only ranks of the run may know.
func (v *victim) learn(t *testing.T, blobs [][]byte) {
	t.Helper()
	own, err := decodeCard(blobs[1])
	if err != nil {
		t.Fatal(err)
	}
	all, key, err := cards(blobs, own, 1)
	if err != nil {
		t.Fatal(err)
	}
	v.address, v.key = all[0].addresses[0], key[:]
}

// succeed lets the others come, and the run to its end, which finds out what has changed.
func (v *victim) succeed(t *testing.T) {
	t.Helper()
	close(v.late)
	for rank, ended := range append([]chan error{v.ended}, v.others...) {
		if err := within20(t, ended); err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func (v *victim) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", v.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// join dials as rank 1 of the run.
func (v *victim) join(t *testing.T) net.Conn {
	t.Helper()
	conn := v.dial(t)
	if err := dialHello(conn, v.key, 1, 0); err != nil {
		t.Fatal(err)
	}
	return conn
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
