package sendrecv

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// actor is a rank that runs a random program, a step at a time.
type actor struct {
	e    *Endpoint
	list []message
	i    int // index of its message
	p    []byte

	stepper interface {
		dimmnet.Stepper
		isOver() bool
	} // the call under way; nil between two messages
}

// act does one step. It returns an error if the message or its result is wrong.
func (a *actor) act() error {
	m := a.list[a.i]
	own := a.e.port.Rank()
	peer := m.from + m.to - own
	sends := own == m.from
	if m.clash {
		sends = m.n%2 == 0
	}
	if a.stepper == nil {
		if own != m.from && own != m.to {
			a.i++
			return nil
		}
		if sends {
			a.stepper = newSender(a.e, peer, noise(m.n, uint64(a.i)))
		} else {
			a.p = make([]byte, m.capacity)
			a.stepper = newReceiver(a.e, peer, a.p)
		}
	}
	_, err := a.stepper.Step()
	if err == nil && !a.stepper.isOver() {
		return nil
	}
	a.stepper = nil
	a.i++
	switch err = a.e.conclude(peer, err); {
	case m.clash && errors.Is(err, ErrClash), !m.clash && m.n > m.capacity && errors.Is(err, ErrTooLong):
		return nil
	case err != nil || m.clash || m.n > m.capacity:
		return fmt.Errorf("message %d, %+v, rank %d: error %v", a.i-1, m, own, err)
	case !sends && !bytes.Equal(a.p[:m.n], noise(m.n, uint64(a.i-1))):
		return fmt.Errorf("message %d, %+v, rank %d: wrong bytes", a.i-1, m, own)
	}
	return nil
}

// interleave runs a random program on a model network.
func interleave(seed uint64) (stats Stats, err error) {
	r := rand.New(rand.NewPCG(seed, 1))
	nodes := 2 + r.IntN(2)
	m := newModel(seed, nodes, (nodes-1)*bufferBytes*(1+r.IntN(2)))
	cfg := Config{BOTF: []int{0, -1, 100, 1000}[r.IntN(4)]}
	list := randomMessages(r, nodes, 10)
	var actors []*actor
	for _, p := range m.nodes {
		e, err := New(p, cfg)
		if err != nil {
			return stats, err
		}
		p.layout = &e.layout
		actors = append(actors, &actor{e: e, list: list})
	}
	busy := 2 + r.IntN(20) // weight of the network's steps against the steps of a rank
	speed := []int{1 + r.IntN(9), 1 + r.IntN(9), 1 + r.IntN(9)}
	for range 200_000 {
		done := true
		for i, a := range actors {
			if a.i == len(a.list) {
				continue
			}
			done = false
			if r.IntN(speed[i]) > 0 {
				continue
			}
			if err := a.act(); err != nil {
				return stats, err
			}
		}
		for range r.IntN(busy) {
			m.happen()
		}
		if len(m.broken) > 0 {
			return stats, errors.New(m.broken[0])
		}
		if done {
			return actors[0].e.Stats(), nil
		}
	}
	at := make([]int, nodes)
	for i, a := range actors {
		at[i] = a.i
	}
	return stats, fmt.Errorf("deadlock: the ranks are in messages %v, the first of them %+v", at, list[slices.Min(at)])
}

// TestInterleavings runs random programs with posts, RDMA and ranks in any order.
func TestInterleavings(t *testing.T) {
	start := rand.Uint64() >> 1
	var sum Stats
	for seed := start; seed < start+50*seeds(); seed++ {
		stats, err := interleave(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sum.BOTF += stats.BOTF
		sum.Push += stats.Push
		sum.Pull += stats.Pull
	}
	if sum.BOTF == 0 || sum.Push == 0 || sum.Pull == 0 {
		t.Errorf("BOTF, PUSH or PULL was not used: %+v", sum)
	}
}
