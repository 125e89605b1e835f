//go:build linux

package shm

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	word            = dimmnet.WordBytes
	blockBytes      = 4096    // Limits.Block: a page
	defaultLLCM     = 1 << 17 // DIMMnet-1 has as much
	llcmPerNode     = 1 << 15
	maxMemory       = 1<<32 - pageBytes // an Offset has 32 bits
	mostMapped      = 1 << 46           // of the heaps of a run: half of the addresses that a process has
	pageBytes       = 4096
	defaultPatience = time.Hour
	defaultStall    = 1600 * time.Millisecond
	defaultGrace    = 5 * time.Second
)

// withDefaults is c for a run of nodes nodes, or what is wrong with it.
func (c Config) withDefaults(nodes int) (Config, error) {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return c, fmt.Errorf("shm: %d nodes: a run has 1 to %d", nodes, dimmnet.MaxNodes)
	}
	if min(c.LLCM, c.Bulk, c.Heap) < 0 || min(c.Patience, c.Grace) < 0 {
		return c, fmt.Errorf("shm: config out of range: %+v", c)
	}
	if c.LLCM == 0 {
		c.LLCM = max(defaultLLCM, nodes*llcmPerNode)
	}
	if int64(c.LLCM)+int64(c.Bulk) > maxMemory-2*word {
		return c, fmt.Errorf("shm: %d and %d bytes of memory a node: more than %d in all", c.LLCM, c.Bulk, int64(maxMemory))
	}
	c.LLCM = (c.LLCM + word - 1) / word * word
	c.Bulk = (c.Bulk + word - 1) / word * word
	if c.Heap == 0 {
		c.Heap = min(machineMemory(), mostMapped/nodes)
	}
	c.Heap = (c.Heap + pageBytes - 1) &^ (pageBytes - 1)
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	if c.Stall == 0 {
		c.Stall = defaultStall
	}
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	return c, nil
}

func (c *Config) limits() dimmnet.Limits {
	return dimmnet.Limits{Store: word, Block: min(blockBytes, c.LLCM), RDMA: max(c.LLCM, c.Bulk), LLCM: c.LLCM, Bulk: c.Bulk}
}
