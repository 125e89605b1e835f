package quic

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
)

// Driver lets a program run on --net quic: pass it to program.Main or cluster.Run.
type Driver struct{}

// Driver returns the name of the network.
func (Driver) Driver() string { return "quic" }

// Join returns the network of this rank.
func (Driver) Join(cfg mesh.Config, m dimmnet.Member) dimmnet.Network { return Join(cfg, m) }
