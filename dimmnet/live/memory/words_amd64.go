//go:build !race

package memory

//go:noescape
func storeRelease(p *uint64, v uint64)

//go:noescape
func prefetchRead(p *byte, lines int)

//go:noescape
func prefetchWrite(p *byte, lines int)
