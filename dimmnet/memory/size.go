package memory

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	defaultLLCM = 1 << 17      // DIMMnet-1 has as much
	llcmPerNode = 1 << 15      // of a run, if that is more
	maxMemory   = 1<<32 - 4096 // an Offset has 32 bits
	blockBytes  = 4096         // Limits.Block: a page
)

// Sizes are the LLCM and the bulk memory of each of nodes nodes, in bytes, from what the
// configuration of a network asks for: 0 bytes of LLCM mean 128 KiB, or 32 KiB for each node
// if that is more, and both are rounded up to whole words. An error says what cannot be.
func Sizes(network string, nodes, llcm, bulk int) (roundLLCM, roundBulk int, err error) {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return 0, 0, fmt.Errorf("%s: %d nodes: a run has 1 to %d", network, nodes, dimmnet.MaxNodes)
	}
	if llcm == 0 {
		llcm = max(defaultLLCM, nodes*llcmPerNode)
	}
	if int64(llcm)+int64(bulk) > maxMemory-2*word {
		return 0, 0, fmt.Errorf("%s: %d and %d bytes of memory a node: more than %d in all", network, llcm, bulk, int64(maxMemory))
	}
	return (llcm + word - 1) / word * word, (bulk + word - 1) / word * word, nil
}

// Limits are those of a port whose node has so many bytes of LLCM and of bulk memory.
func Limits(llcm, bulk int) dimmnet.Limits {
	return dimmnet.Limits{Store: word, Block: min(blockBytes, llcm), RDMA: max(llcm, bulk), LLCM: llcm, Bulk: bulk}
}
