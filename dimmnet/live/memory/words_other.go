//go:build !amd64 || race

package memory

import "sync/atomic"

// storeRelease stores with sequential consistency. On arm64 that is one STLR, which waits for
// nothing.
func storeRelease(p *uint64, v uint64) { atomic.StoreUint64(p, v) }

func prefetchRead(*byte, int)  {}
func prefetchWrite(*byte, int) {}
