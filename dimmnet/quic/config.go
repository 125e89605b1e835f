package quic

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
	"github.com/fagus-dsm/fagus/dimmnet/memory"
	"github.com/fagus-dsm/fagus/dimmnet/reach"
	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// Config says what a Network is like; it is the same on all ranks but for Listen, Reach
// and Identity. The zero value is useful: each field has a default. Run rejects negative
// values.
type Config struct {
	// Listen is the host or address, without a port, on which this rank listens and from
	// which it calls: one of this host's interfaces. Empty means 127.0.0.1, and so that all
	// ranks are on this host; 0.0.0.0 or :: means all interfaces.
	Listen string
	// Reach are the hosts or addresses, without a port, by which others try to reach this
	// rank, in this order: 16 at most. Nil means where it listens, and if that is all
	// interfaces, the address of each that is up and not of this host alone.
	Reach []string
	// Identity is what this rank of a joined network proves itself with: all ranks have one
	// of the same authority. Nil, at all ranks, means that rank 0 makes an authority for the
	// run and tells all ranks their identities by dimmnet.Member.
	Identity *identity.Identity
	// LLCM is the memory of each node in bytes, rounded up to a multiple of 8.
	// 0 means 128 KiB, or 32 KiB for each node of the run if that is more.
	LLCM int
	// Bulk is the bulk memory of each node in bytes, rounded up to a multiple of 8.
	Bulk int
	// Joining is how long a run waits for all ranks to be connected, and then for the first
	// beat of each. 0 means 30 seconds.
	Joining time.Duration
	// Stall is how long a joined rank may show no sign of life until the run fails: its
	// process is stopped or has ended, or its host is cut off, since one that computes shows
	// some. 0 means 1.6 seconds, less than 0 that nobody looks, as for a debugger.
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
	llcm, bulk, err := memory.Sizes("quic", nodes, c.LLCM, c.Bulk)
	if err != nil {
		return c, err
	}
	if min(c.LLCM, c.Bulk) < 0 || min(c.Joining, c.Patience, c.Grace) < 0 || len(c.Reach) > reach.Most || slices.Contains(c.Reach, "") {
		return c, fmt.Errorf("quic: config out of range: %+v", c)
	}
	c.LLCM, c.Bulk = llcm, bulk
	c.Listen = cmp.Or(c.Listen, defaultListen)
	c.Joining = cmp.Or(c.Joining, stream.DefaultJoining)
	c.Patience = cmp.Or(c.Patience, stream.DefaultPatience)
	c.Stall = cmp.Or(c.Stall, stream.DefaultStall)
	c.Grace = cmp.Or(c.Grace, stream.DefaultGrace)
	return c, nil
}

// stream is the part that package stream wants to know.
func (c *Config) stream() stream.Config {
	return stream.Config{
		Network: "quic", Sums: stream.SumNone, Helped: true,
		Limits:  memory.Limits(c.LLCM, c.Bulk),
		Joining: c.Joining, Stall: c.Stall, Patience: c.Patience, Grace: c.Grace,
	}
}

const (
	// windowBytes is what a peer that does not read may be sent.
	windowBytes = 4 << 20
	// idleTime is longer than any run: a connection ends when a rank says so.
	idleTime = 10 * 365 * 24 * time.Hour
	// mostStreams from a peer: that of its data, and a receipt.
	mostStreams = 2
)

// quic is the part that quic-go wants to know.
func (c *Config) quic() *quicgo.Config {
	return &quicgo.Config{
		HandshakeIdleTimeout:           helloTime,
		MaxIdleTimeout:                 idleTime,
		InitialStreamReceiveWindow:     windowBytes,
		MaxStreamReceiveWindow:         windowBytes,
		InitialConnectionReceiveWindow: windowBytes,
		MaxConnectionReceiveWindow:     windowBytes,
		MaxIncomingStreams:             -1,
		MaxIncomingUniStreams:          mostStreams,
		EnableDatagrams:                c.Stall > 0,
	}
}
