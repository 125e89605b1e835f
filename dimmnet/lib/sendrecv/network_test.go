package sendrecv

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// testNetwork is a network that the tests run on.
type testNetwork struct {
	name string
	new  func(bulk int) dimmnet.Network
}

func networks() []testNetwork {
	return []testNetwork{
		{"inproc", func(bulk int) dimmnet.Network {
			return narrow(inproc.New(inproc.Config{Bulk: bulk}), bulk)
		}},
		{"inproc with banks", func(bulk int) dimmnet.Network {
			return narrow(inproc.New(inproc.Config{Bulk: bulk, Banks: true}), bulk)
		}},
		{"sim", func(bulk int) dimmnet.Network { return narrow(simulated(sim.Config{}), bulk) }},
		{"sim with delays", func(bulk int) dimmnet.Network { return narrow(simulated(sim.Config{Seed: 7}), bulk) }},
	}
}

func simulated(cfg sim.Config) dimmnet.Network {
	network, err := sim.New(cfg)
	if err != nil {
		panic(err) // the environment is a constant
	}
	return network
}

// narrow is network with the blocks of DIMMnet-1, an RDMA size that divides neither an area nor
// a buffer, and at most bulk bytes of bulk memory.
func narrow(network dimmnet.Network, bulk int) dimmnet.Network {
	return porttest.Wrap(network, func(p dimmnet.Port) dimmnet.Port {
		limits := p.Limits()
		limits.Block, limits.RDMA, limits.Bulk = 464, min(limits.RDMA, 300_000), min(limits.Bulk, bulk)
		return porttest.Limited(p, limits)
	})
}

// run runs body on each rank with its Endpoint.
func run(t *testing.T, network dimmnet.Network, nodes int, cfg Config, body func(*Endpoint) error) {
	t.Helper()
	err := network.Run(context.Background(), nodes, func(h dimmnet.Host) error {
		e, err := New(h.Port(), cfg)
		if err != nil {
			return err
		}
		return body(e)
	})
	if err != nil {
		t.Error(err)
	}
}

// noise returns n bytes that seed determines.
func noise(n int, seed uint64) []byte {
	p := make([]byte, n)
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24)})
	source.Read(p) // never fails
	return p
}

// peerFirst returns when a word of the peer about the next message has landed.
func (e *Endpoint) peerFirst(peer dimmnet.Rank) error {
	w := &watch{call: newCall(e, peer, nil)}
	return dimmnet.Drive(e.port, w, w.isOver)
}

// watch is a Stepper that only polls the flag.
type watch struct{ call }

func (w *watch) Step() (progress bool, err error) {
	_, w.over, err = w.poll()
	return w.over, err
}

// shutterPort hides the peer's words from close until this rank has stored a word, so that both
// ranks come first.
type shutterPort struct {
	dimmnet.Port
	closed bool
	seen   map[dimmnet.Offset]uint64
}

func (p *shutterPort) close() { p.closed = true }

func (p *shutterPort) Load(off dimmnet.Offset) uint64 {
	if !p.closed {
		p.seen[off] = p.Port.Load(off)
	}
	return p.seen[off]
}

func (p *shutterPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	posted := p.Port.Store(dst, off, v, size)
	p.closed = p.closed && !(posted && dst != p.Rank())
	return posted
}
