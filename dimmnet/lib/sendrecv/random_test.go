package sendrecv

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// message is a step of a random program. Every rank goes through all steps; the two ranks that a
// message names exchange it.
type message struct {
	from, to    dimmnet.Rank
	n, capacity int
	clash       bool // both send (n is even) or both receive (n is odd)
}

func randomMessages(r *rand.Rand, nodes, count int) []message {
	list := make([]message, count)
	for i := range list {
		from := r.IntN(nodes)
		m := message{
			from: dimmnet.Rank(from),
			to:   dimmnet.Rank((from + 1 + r.IntN(nodes-1)) % nodes),
		}
		switch r.IntN(4) {
		case 0:
			m.n = r.IntN(3)
		case 1:
			m.n = r.IntN(1000)
		case 2:
			m.n = 464*r.IntN(5) + r.IntN(3)
		case 3:
			m.n = r.IntN(6 * bufferBytes)
		}
		m.capacity = m.n
		switch r.IntN(10) {
		case 0:
			m.capacity = r.IntN(m.n + 1)
		case 1:
			m.capacity += r.IntN(100)
		case 2:
			m.clash = true
		}
		list[i] = m
	}
	return list
}

// take does this rank's part of m.
func (m message) take(e *Endpoint, seed uint64) error {
	own := e.port.Rank()
	peer := m.from + m.to - own
	switch {
	case own != m.from && own != m.to:
		return nil
	case m.clash:
		if err := e.same(m.n%2 == 0, peer, m.n); !errors.Is(err, ErrClash) {
			return fmt.Errorf("error %v, want %v", err, ErrClash)
		}
		return nil
	case m.n > m.capacity:
		n := m.capacity
		if own == m.from {
			n = m.n
		}
		if err := e.same(own == m.from, peer, n); !errors.Is(err, ErrTooLong) {
			return fmt.Errorf("error %v, want %v", err, ErrTooLong)
		}
		return nil
	case own == m.from:
		return e.Send(m.to, noise(m.n, seed))
	}
	return e.receive(m.from, m.n, m.capacity-m.n, seed)
}

// runRandom runs a random program. Each rank yields a random number of times before a call, so
// that either rank may come first.
func runRandom(t *testing.T, seed uint64, wrap func(dimmnet.Port) dimmnet.Port) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	nodes := 2 + r.IntN(4)
	bulk := (nodes - 1) * bufferBytes * (1 + r.IntN(3))
	cfg := Config{BOTF: []int{0, -1, 100, 1000}[r.IntN(4)], Group: uint8(seed)}
	list := randomMessages(r, nodes, 120)
	for _, network := range networks() {
		run(t, porttest.Wrap(network.new(bulk), wrap), nodes, cfg, func(e *Endpoint) error {
			lazy := rand.New(rand.NewPCG(seed, 1+uint64(e.port.Rank())))
			for i, m := range list {
				for range lazy.IntN(4) * lazy.IntN(4) {
					runtime.Gosched()
				}
				if err := m.take(e, seed<<8+uint64(i)); err != nil {
					return fmt.Errorf("seed %d, %s, %d nodes, %+v, message %d, %+v, rank %d: %w",
						seed, network.name, nodes, cfg, i, m, e.port.Rank(), err)
				}
			}
			return nil
		})
	}
}

// seeds returns how many random programs a test runs.
func seeds() uint64 {
	if testing.Short() {
		return 8
	}
	return longtest.Cases(uint64(40), 15)
}

func TestRandomPrograms(t *testing.T) {
	start := rand.Uint64() >> 1
	for seed := range seeds() {
		runRandom(t, start+seed, func(p dimmnet.Port) dimmnet.Port { return p })
	}
}

// TestNumbersWrap exchanges more messages than a word can number.
func TestNumbersWrap(t *testing.T) {
	for _, network := range networks() {
		run(t, network.new(bufferBytes), 2, Config{}, func(e *Endpoint) error {
			for i := range 700 {
				m := message{from: dimmnet.Rank(i / 2 % 2), to: dimmnet.Rank(1 - i/2%2), n: i, capacity: i}
				if err := m.take(e, uint64(i)); err != nil {
					return fmt.Errorf("message %d: %w", i, err)
				}
			}
			return nil
		})
	}
}

// TestManyToOne lets all ranks send at once to rank 0, which receives from them one by one.
func TestManyToOne(t *testing.T) {
	const nodes, each, n = 5, 12, 3 * bufferBytes
	for _, network := range networks() {
		run(t, network.new(2*(nodes-1)*bufferBytes), nodes, Config{}, func(e *Endpoint) error {
			for i := range each {
				if own := e.port.Rank(); own != 0 {
					if err := e.Send(0, noise(n+i, uint64(own))); err != nil {
						return err
					}
					continue
				}
				for k := range nodes - 1 {
					src := dimmnet.Rank(1 + (k+i)%(nodes-1))
					if err := e.receive(src, n+i, 0, uint64(src)); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}
