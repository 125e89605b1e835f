package memory

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	defaultLLCM = 1 << 17      // bytes; as on DIMMnet-1
	llcmPerNode = 1 << 15      // bytes per node, where the sum exceeds defaultLLCM
	maxMemory   = 1<<32 - 4096 // bytes; a dimmnet.Offset has 32 bits
	blockBytes  = 4096         // Limits.Block: one page
)

// Sizes returns the sizes in bytes of the LLCM and the bulk memory of each node, given the sizes
// that the configuration of a network asks for. An llcm of 0 means 128 KiB, or 32 KiB times nodes
// if that is more. Both sizes are rounded up to whole words. An error names the network and the
// value out of range.
func Sizes(network string, nodes, llcm, bulk int) (roundLLCM, roundBulk int, err error) {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return 0, 0, fmt.Errorf("%s: a run of %d nodes: want 1 to %d", network, nodes, dimmnet.MaxNodes)
	}
	if llcm == 0 {
		llcm = max(defaultLLCM, nodes*llcmPerNode)
	}
	if max(llcm, bulk) > maxMemory || llcm+bulk > maxMemory-2*word { // the sum may overflow
		return 0, 0, fmt.Errorf("%s: a node has %d bytes of LLCM and %d of bulk memory: the sum exceeds %d", network, llcm, bulk, maxMemory)
	}
	return (llcm + word - 1) / word * word, (bulk + word - 1) / word * word, nil
}

// Limits returns the limits of a port with llcm bytes of LLCM and bulk bytes of bulk memory.
func Limits(llcm, bulk int) dimmnet.Limits {
	return dimmnet.Limits{Store: word, Block: min(blockBytes, llcm), RDMA: max(llcm, bulk), LLCM: llcm, Bulk: bulk}
}
