package ofi

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Config describes a Network. It must be the same on all ranks, except Listen and Domain.
type Config struct {
	// Mesh has the sizes and times. Listen is the host or address from which this rank sends. It
	// chooses the interface, if the provider uses IP addresses. Reach, Ports, Identity, Encrypt,
	// Direct and Unsummed have no effect: the provider connects, and nothing is encrypted.
	Mesh mesh.Config
	// Provider is the libfabric provider, as in FI_PROVIDER: for example "verbs;ofi_rxm". Empty
	// means the first of Preferred that this host has.
	Provider string
	// Domain is the NIC, as libfabric names it. Empty means that Place chooses.
	Domain string
	// Place is this rank's number among the ranks of its host, from 0. Ranks of a host share the
	// NICs near their processors in turn. New numbers the ranks itself.
	Place int
}

// Network runs programs on processes of several hosts, or on goroutines of this process.
type Network = mesh.Network

const networkName = "ofi"

// New returns a network whose ranks are all in this process, each with an endpoint of its own.
func New(cfg Config) *Network { return mesh.NewNetwork(transport(&cfg, nil), cfg.mesh(), nil) }

// Join returns a network of which this process is one rank.
func Join(cfg Config, m dimmnet.Member) *Network {
	return mesh.NewNetwork(transport(&cfg, m), cfg.mesh(), m)
}

// mesh returns the part of c that all networks between hosts have.
func (c *Config) mesh() mesh.Config {
	m := c.Mesh
	m.Identity, m.Encrypt, m.Direct = nil, false, 0
	return m
}

func transport(cfg *Config, m dimmnet.Member) mesh.Transport {
	return mesh.Transport{
		Name: networkName,
		Sums: func(*mesh.Config) stream.Sums { return stream.SumNone },
		Prepare: func(common *mesh.Config, _ int) (stream.Join, error) {
			c := *cfg
			c.Mesh = *common
			provider, err := Choose(c.Provider)
			if err != nil {
				return nil, err
			}
			c.Provider = provider
			return prepare(&c, m != nil)
		},
	}
}
