package tcp

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Config says what a Network is like; it is the same on all ranks but for Listen. The
// zero value is useful: each field has a default. Run rejects negative values.
type Config struct {
	// Listen is the host or address, without a port, on which this rank is reached by the
	// others. Empty means 127.0.0.1, and so that all ranks are on this host.
	Listen string
	// LLCM is the memory of each node in bytes, rounded up to a multiple of 8.
	// 0 means 128 KiB, or 32 KiB for each node of the run if that is more.
	LLCM int
	// Bulk is the bulk memory of each node in bytes, rounded up to a multiple of 8.
	Bulk int
	// Unsummed leaves the checksum of the bytes out where pieces of a Push or Pull are
	// large. Within a host they cost a third to a half of the bandwidth.
	Unsummed bool
	// Joining is how long a run waits for all ranks to be connected. 0 means 30 seconds.
	Joining time.Duration
	// Patience is how long a thread may sleep before the run fails, without an arrival
	// or its event. 0 means 1 hour.
	Patience time.Duration
	// Grace is how long a run that has failed waits for its threads to return.
	// 0 means 5 seconds.
	Grace time.Duration
}

const (
	word            = dimmnet.WordBytes
	blockBytes      = 4096 // Limits.Block: a page
	defaultListen   = "127.0.0.1"
	defaultLLCM     = 1 << 17 // DIMMnet-1 has as much
	llcmPerNode     = 1 << 15
	maxMemory       = 1<<32 - 4096 // an Offset has 32 bits
	defaultJoining  = 30 * time.Second
	defaultPatience = time.Hour
	defaultGrace    = 5 * time.Second
)

// withDefaults is c for a run of nodes nodes, or what is wrong with it.
func (c Config) withDefaults(nodes int) (Config, error) {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return c, fmt.Errorf("tcp: %d nodes: a run has 1 to %d", nodes, dimmnet.MaxNodes)
	}
	if min(c.LLCM, c.Bulk) < 0 || min(c.Joining, c.Patience, c.Grace) < 0 {
		return c, fmt.Errorf("tcp: config out of range: %+v", c)
	}
	if c.LLCM == 0 {
		c.LLCM = max(defaultLLCM, nodes*llcmPerNode)
	}
	if int64(c.LLCM)+int64(c.Bulk) > maxMemory-2*word {
		return c, fmt.Errorf("tcp: %d and %d bytes of memory a node: more than %d in all", c.LLCM, c.Bulk, int64(maxMemory))
	}
	c.LLCM = (c.LLCM + word - 1) / word * word
	c.Bulk = (c.Bulk + word - 1) / word * word
	if c.Listen == "" {
		c.Listen = defaultListen
	}
	if c.Joining == 0 {
		c.Joining = defaultJoining
	}
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	return c, nil
}

func (c *Config) limits() dimmnet.Limits {
	return dimmnet.Limits{Store: word, Block: min(blockBytes, c.LLCM), RDMA: max(c.LLCM, c.Bulk), LLCM: c.LLCM, Bulk: c.Bulk}
}
