//go:build linux

package tcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// apart is a rank of a meeting as a process of its own would be.
type apart struct {
	guest guest
	cards chan [][]byte                  // what was gathered; nil if nobody wants it
	lost  chan func(dimmnet.Rank, error) // whom OnLoss was given; nil if nobody wants him
}

func (a apart) Rank() dimmnet.Rank { return a.guest.rank }
func (a apart) Size() int          { return a.guest.Size() }

func (a apart) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	all, err := a.guest.Gather(ctx, own)
	if a.cards != nil {
		a.cards <- all
	}
	return all, err
}

func (a apart) OnLoss(lost func(dimmnet.Rank, error)) {
	if a.lost != nil && lost != nil {
		a.lost <- lost
	}
}

// victim is rank 0 of some, of which the test is the others.
type victim struct {
	address string
	key     []byte
	ended   chan error // of its run; a body that finds its memory changed complains
}

// errTouched is what a victim says whose memory has changed.
var errTouched = errors.New("the memory has changed")

// newVictim is one of two.
func newVictim(t *testing.T) *victim {
	t.Helper()
	return newVictimOf(t, 2, Config{})
}

func newVictimOf(t *testing.T, nodes int, cfg Config) *victim {
	t.Helper()
	cfg.Bulk = 1 << 16
	m := newMeeting(nodes)
	cards0 := make(chan [][]byte, 1)
	v := &victim{ended: make(chan error, 1)}
	go func() {
		network := Join(cfg, apart{guest: guest{addresses: m}, cards: cards0})
		v.ended <- network.Run(context.Background(), nodes, func(h dimmnet.Host) error {
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
		})
	}()
	cfg, err := cfg.withDefaults(nodes)
	if err != nil {
		t.Fatal(err)
	}
	own := newCard(&cfg, []string{"127.0.0.1:1"})
	var others sync.WaitGroup
	for rank := 1; rank < nodes; rank++ {
		others.Go(func() { _, _ = m.gather(t.Context(), dimmnet.Rank(rank), own.append(nil)) })
	}
	all, key, err := cards(<-cards0, own, 1)
	others.Wait()
	if err != nil {
		t.Fatal(err)
	}
	v.address, v.key = all[0].addresses[0], key[:]
	return v
}

// still is a Stepper that only waits.
type still struct{}

func (still) Step() (bool, error) { return false, nil }

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

func (v *victim) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-v.ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the run does not end")
		return nil
	}
}

// TestStrangers: who is not of the run is sent away, and the run does not mind.
func TestStrangers(t *testing.T) {
	v := newVictim(t)
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
	conn := v.join(t)
	f := new(frames).add(store, 8, 0, []byte{1, 0, 0, 0, 0, 0, 0, 0}).add(goodbye, 0, 0, nil)
	if _, err := conn.Write(f.b); err != nil {
		t.Fatal(err)
	}
	if err := v.end(t); err != nil {
		t.Error(err)
	}
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
	huge := new(frames).add(block, 0, 8, noise(8)).b
	huge[6] = 0xff // and a checksum that is right
	binary.LittleEndian.PutUint32(huge[20:], checksum(0, huge[:20]))
	for name, b := range map[string][]byte{
		"garbage":        noise(1 << 12),
		"a huge length":  huge,
		"out of bounds":  new(frames).add(store, 8, 1<<17, noise(8)).b,
		"half a frame":   new(frames).add(block, 0, 8, noise(100)).b[:60],
		"half a header":  new(frames).add(block, 0, 8, noise(100)).b[:11],
		"number 1 first": (&frames{number: 1}).add(block, 0, 8, noise(8)).b,
		"nothing":        nil,
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			conn := v.join(t)
			if _, err := conn.Write(b); err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
			if err := v.end(t); err == nil || errors.Is(err, errTouched) || !strings.Contains(err.Error(), "rank 1") {
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
