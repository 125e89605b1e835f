package tcp

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Config describes a Network.
type Config = mesh.Config

// Network runs programs on processes of several hosts, or on goroutines of this process.
type Network = mesh.Network

const networkName = "tcp"

// New returns a network whose ranks are all in this process and connected over loopback.
func New(cfg Config) *Network { return mesh.NewNetwork(transport(), cfg, nil) }

// Join returns a network of which this process is one rank.
func Join(cfg Config, m dimmnet.Member) *Network { return mesh.NewNetwork(transport(), cfg, m) }

func transport() mesh.Transport {
	return mesh.Transport{Name: networkName, Sums: (*Config).Sums, Helped: helped, Prepare: prepare}
}

// prepare returns the function that connects the ranks. If Config.Encrypt is set, that function
// gives each rank an identity.
func prepare(cfg *Config, nodes int) (stream.Join, error) {
	var authority *identity.Authority
	if cfg.Encrypt && cfg.Identity == nil {
		var err error
		if authority, err = identity.NewAuthority(nodes); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, m dimmnet.Member) (*stream.Links, error) {
		cfg := *cfg
		if authority != nil {
			var err error
			if cfg.Identity, err = authority.Issue(m.Rank()); err != nil {
				return nil, err
			}
		}
		j, err := connect(ctx, &cfg, m)
		if err != nil {
			return nil, err
		}
		return j.links(m.Rank())
	}, nil
}
