//go:build linux

package shm

import (
	"cmp"
	"fmt"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

const (
	networkName     = "shm"
	word            = dimmnet.WordBytes
	mostMapped      = 1 << 46 // bytes of all heaps of a run: half of an address space
	pageBytes       = 4096
	defaultPatience = time.Hour
	defaultGrace    = 5 * time.Second
)

func (c Config) withDefaults(nodes int) (Config, error) {
	llcm, bulk, err := memory.Sizes(networkName, nodes, c.LLCM, c.Bulk)
	if err != nil {
		return c, err
	}
	if min(c.LLCM, c.Bulk, c.Heap) < 0 || min(c.Patience, c.Grace) < 0 {
		return c, fmt.Errorf("shm: config out of range: %+v", c)
	}
	c.LLCM, c.Bulk = llcm, bulk
	if c.Heap == 0 {
		var limit string
		if c.Heap, limit = mostHeap(nodes, c.nicBytes()); c.Heap == 0 {
			return c, fmt.Errorf("shm: a segment of %d bytes for each of %d ranks exceeds %s: %w", c.nicBytes()+pageBytes, nodes, limit, syscall.ENOMEM)
		}
	}
	c.Heap = (c.Heap + pageBytes - 1) &^ (pageBytes - 1)
	c.Patience = cmp.Or(c.Patience, defaultPatience)
	c.Stall = cmp.Or(c.Stall, local.DefaultStall)
	c.Grace = cmp.Or(c.Grace, defaultGrace)
	return c, nil
}
