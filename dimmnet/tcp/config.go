package tcp

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
	"github.com/fagus-dsm/fagus/dimmnet/memory"
	"github.com/fagus-dsm/fagus/dimmnet/reach"
	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// Config says what a Network is like; it is the same on all ranks but for Listen, Reach
// and Identity. The
// zero value is useful: each field has a default. Run rejects negative values.
type Config struct {
	// Listen is the host or address, without a port, on which this rank listens and from
	// which it calls: one of this host's interfaces. Empty means 127.0.0.1, and so that all
	// ranks are on this host; 0.0.0.0 or :: means all interfaces.
	Listen string
	// Reach are the hosts or addresses, without a port, by which others try to reach this
	// rank, in this order: 16 at most. Nil means where it listens, and if that is all
	// interfaces, the address of each that is up and not of this host alone.
	Reach []string
	// Identity encrypts a joined network, by TLS 1.3: all ranks have one of the same
	// authority. Nil means that who can read and change what goes over the network can read
	// and change the run.
	Identity *identity.Identity
	// Encrypt encrypts a network whose ranks are all in this process, which gives them
	// identities of its own.
	Encrypt bool
	// LLCM is the memory of each node in bytes, rounded up to a multiple of 8.
	// 0 means 128 KiB, or 32 KiB for each node of the run if that is more.
	LLCM int
	// Bulk is the bulk memory of each node in bytes, rounded up to a multiple of 8.
	Bulk int
	// Unsummed leaves the checksum of the bytes out where pieces of a Push or Pull are
	// large. Within a host they cost a third to a half of the bandwidth. What is encrypted
	// has none anyway.
	Unsummed bool
	// Joining is how long a run waits for all ranks to be connected, and then for the first
	// beat of each. 0 means 30 seconds.
	Joining time.Duration
	// Stall is how long a joined rank may show no sign of life until the run fails: its
	// process is stopped or its host is cut off, since one that computes shows some. 0 means
	// 1.6 seconds, less than 0 that nobody looks, as for a debugger.
	Stall time.Duration
	// Patience is how long a thread may sleep before the run fails, without an arrival
	// or its event. 0 means 1 hour.
	Patience time.Duration
	// Grace is how long a run that has failed waits for its threads to return.
	// 0 means 5 seconds.
	Grace time.Duration
}

const (
	word          = dimmnet.WordBytes
	defaultListen = "127.0.0.1"
)

// withDefaults is c for a run of nodes nodes, or what is wrong with it.
func (c Config) withDefaults(nodes int) (Config, error) {
	llcm, bulk, err := memory.Sizes("tcp", nodes, c.LLCM, c.Bulk)
	if err != nil {
		return c, err
	}
	if min(c.LLCM, c.Bulk) < 0 || min(c.Joining, c.Patience, c.Grace) < 0 || len(c.Reach) > reach.Most || slices.Contains(c.Reach, "") {
		return c, fmt.Errorf("tcp: config out of range: %+v", c)
	}
	c.LLCM, c.Bulk = llcm, bulk
	c.Listen = cmp.Or(c.Listen, defaultListen)
	c.Joining = cmp.Or(c.Joining, stream.DefaultJoining)
	c.Patience = cmp.Or(c.Patience, stream.DefaultPatience)
	c.Stall = cmp.Or(c.Stall, stream.DefaultStall)
	c.Grace = cmp.Or(c.Grace, stream.DefaultGrace)
	return c, nil
}

// sums says what has a checksum in a run with this configuration.
func (c *Config) sums() stream.Sums {
	switch {
	case c.Identity != nil || c.Encrypt:
		return stream.SumNone
	case c.Unsummed:
		return stream.SumSmall
	}
	return stream.SumAll
}

// stream is the part that package stream wants to know.
func (c *Config) stream() stream.Config {
	return stream.Config{
		Network: "tcp", Limits: memory.Limits(c.LLCM, c.Bulk), Sums: c.sums(),
		Joining: c.Joining, Stall: c.Stall, Patience: c.Patience, Grace: c.Grace,
	}
}
