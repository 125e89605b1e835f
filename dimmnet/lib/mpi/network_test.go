package mpi

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// testNetwork is a network that the tests run on.
type testNetwork struct {
	name string
	new  func() dimmnet.Network
}

func networks() []testNetwork {
	list := []testNetwork{
		{"inproc", func() dimmnet.Network { return inproc.New(inproc.Config{}) }},
		{"sim", func() dimmnet.Network { return simulated(sim.Config{}) }},
		{"sim with delays", func() dimmnet.Network { return simulated(sim.Config{Seed: 7}) }},
		{"udp", func() dimmnet.Network { return simulated(sim.Config{UDP: &sim.UDP{}}) }},
	}
	if runtime.GOOS == "linux" {
		list = append(list, testNetwork{"shm", func() dimmnet.Network { return shm.New(shm.Config{Patience: 20 * time.Second}) }})
		if !testing.Short() {
			list = append(list,
				testNetwork{"tcp", func() dimmnet.Network { return tcp.New(tcp.Config{}) }},
				testNetwork{"quic", func() dimmnet.Network { return quic.New(quic.Config{}) }})
			for _, p := range ofi.Software() {
				if ofi.Supported() == nil {
					list = append(list, testNetwork{"ofi, " + p, func() dimmnet.Network { return ofi.New(ofi.Config{Provider: p}) }})
				}
			}
		}
	}
	return list
}

func simulated(cfg sim.Config) *sim.Network {
	network, err := sim.New(cfg)
	if err != nil {
		panic(err) // the environment is a constant
	}
	return network
}

// narrow is network with the blocks of DIMMnet-1.
func narrow(network dimmnet.Network) dimmnet.Network {
	return porttest.Wrap(network, func(p dimmnet.Port) dimmnet.Port {
		limits := p.Limits()
		limits.Block = min(limits.Block, 464)
		return porttest.Limited(p, limits)
	})
}

// run runs body on each rank with the communicator of all ranks. It panics if a ring is
// overwritten.
func run(network dimmnet.Network, nodes int, opts Options, body func(*Comm) error) error {
	return checkRings(network, opts).Run(context.Background(), nodes, func(h dimmnet.Host) error {
		return Run(h, opts, body)
	})
}

// everywhere runs body on all networks, with large and with small rings.
func everywhere(t *testing.T, nodes int, body func(*Comm) error) {
	t.Helper()
	for _, network := range networks() {
		for _, opts := range []Options{{}, {Ring: minRingBytes, LLCM: 40}, {Eager: -1}, {Eager: 100, Ring: 1200}} {
			t.Run(fmt.Sprintf("%s/%+v", network.name, opts), func(t *testing.T) {
				if err := run(narrow(network.new()), nodes, opts, body); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// noise returns n bytes that seed determines.
func noise(n int, seed uint64) []byte {
	p := make([]byte, n)
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24), byte(seed >> 32)})
	source.Read(p) // never fails
	return p
}

// sizes returns message sizes around the eager limit of c.
func sizes(c *Comm) []int {
	e := max(c.Eager(), 40)
	return []int{0, 1, e - 1, e, e + 1, 10 * e}
}

// expect receives a message. It returns an error unless the message is made of n and seed.
func (c *Comm) expect(n int, seed uint64, src, tag, wantSource, wantTag int) error {
	p := bytes.Repeat([]byte{0xa5}, n+3)
	s, err := c.Recv(p, src, tag)
	if err != nil {
		return err
	}
	return got(p, s, Status{wantSource, wantTag, n}, seed)
}

// got returns an error unless p, 3 bytes longer than the message, holds the message made of seed.
func got(p []byte, s, want Status, seed uint64) error {
	switch {
	case s != want:
		return fmt.Errorf("status %+v, want %+v", s, want)
	case !bytes.Equal(p[:s.Count], noise(s.Count, seed)):
		return fmt.Errorf("message %+v: wrong bytes", s)
	case !bytes.Equal(p[s.Count:], bytes.Repeat([]byte{0xa5}, len(p)-s.Count)):
		return fmt.Errorf("message %+v: bytes after it have changed", s)
	}
	return nil
}
