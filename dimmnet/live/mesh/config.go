package mesh

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// Config describes a network between hosts. It must be the same on all ranks, except Listen, Reach
// and Identity. The zero value is useful: each field has a default. Run rejects negative values.
type Config struct {
	// Listen is the host or address, without a port, on which this rank listens and from which it
	// dials: one of this host's interfaces. Empty means 127.0.0.1, so all ranks must be on this
	// host; 0.0.0.0 and :: mean all interfaces.
	Listen string
	// Reach lists the hosts or addresses, without a port, at which others try to reach this rank,
	// in this order: at most 16. Nil means the address on which this rank listens or, if that is
	// all interfaces, the address of each interface that is up and reachable from other hosts.
	Reach []string
	// Ports is the range of ports on which this rank listens. The zero value is any free port.
	Ports reach.Ports
	// Identity authenticates this rank of a joined network. The identities of all ranks come from
	// one authority. With an Identity, tcp encrypts its connections by TLS 1.3; without one,
	// everyone who can read and change the traffic can read and change the run. Over quic, if no
	// rank has an Identity, rank 0 issues identities for the run, and passes them to the ranks by
	// dimmnet.Member.
	Identity *identity.Identity
	// Encrypt encrypts a tcp network whose ranks are all in this process; each rank gets an
	// identity. A joined network needs an Identity instead. quic always encrypts.
	Encrypt bool
	// Direct is the largest number of ranks that are all connected to each other at the start,
	// over tcp. With more ranks, a rank is connected to its neighbours in a tree. Two other ranks
	// connect when one of them first has something for the other. 0 means 12; with a negative
	// value, no run connects all ranks at the start. quic always connects all.
	Direct int
	// LLCM is the size of each node's LLCM in bytes, rounded up to a multiple of 8. 0 means
	// 128 KiB, or 32 KiB times the number of nodes if that is more.
	LLCM int
	// Bulk is the size of each node's bulk memory in bytes, rounded up to a multiple of 8.
	Bulk int
	// Unsummed omits the checksum of large pieces over tcp between hosts. Within a host, where it
	// would cost a third to a half of the bandwidth, and on encrypted networks there is none.
	Unsummed bool
	// Joining is how long a run waits for connections, and then for beats. 0 means 30 seconds.
	Joining time.Duration
	// Stall is how long a joined rank may show no sign of life before the run fails. A rank that
	// computes shows signs of life; a rank whose process is stopped or whose host is cut off does
	// not. 0 means 15 seconds (local.DefaultStall). On an overloaded machine it grows with the
	// delays that this process observes. A negative value disables the check, as a debugger
	// requires.
	Stall time.Duration
	// Warn is called with a warning for the user, such as that datagrams do not pass. nil: no call.
	Warn func(string)
	// Patience is how long a thread may sleep without an arrival or its event before the run
	// fails. 0 means 1 hour.
	Patience time.Duration
	// Grace is how long a failed run waits for its threads to return. 0 means 5 seconds.
	Grace time.Duration
}

const (
	defaultListen = "127.0.0.1"
	// defaultDirect equals the number of ranks that exchange lists between all pairs
	// (phase.LiveRingNodes).
	defaultDirect = 12
)

// WithDefaults returns c with the defaults for a run of nodes nodes, or an error.
func (c Config) WithDefaults(network string, nodes int) (Config, error) {
	llcm, bulk, err := memory.Sizes(network, nodes, c.LLCM, c.Bulk)
	if err != nil {
		return c, err
	}
	if min(c.LLCM, c.Bulk) < 0 || min(c.Joining, c.Patience, c.Grace) < 0 || len(c.Reach) > reach.Most || slices.Contains(c.Reach, "") {
		return c, fmt.Errorf("%s: config out of range: %+v", network, c)
	}
	c.LLCM, c.Bulk = llcm, bulk
	c.Direct = cmp.Or(c.Direct, defaultDirect)
	c.Listen = cmp.Or(c.Listen, defaultListen)
	c.Joining = cmp.Or(c.Joining, stream.DefaultJoining)
	c.Patience = cmp.Or(c.Patience, stream.DefaultPatience)
	c.Stall = cmp.Or(c.Stall, local.DefaultStall)
	c.Grace = cmp.Or(c.Grace, stream.DefaultGrace)
	return c, nil
}

// Sums returns the checksums of frames for a network that does not detect changed bytes itself.
func (c *Config) Sums() stream.Sums {
	switch {
	case c.Identity != nil || c.Encrypt:
		return stream.SumNone
	case c.Unsummed:
		return stream.SumSmall
	}
	return stream.SumAll
}
