package porttest

import (
	"runtime"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The ports of this file break the rules of Multicast.

// misses leaves out the last of several ranks.
type misses struct{ dimmnet.Port }

func (p misses) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return p.Port.Multicast(dsts[:max(1, len(dsts)-1)], off, v, size)
}

// oneMore reaches a rank that is not meant.
type oneMore struct{ dimmnet.Port }

func (p oneMore) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	for r := range dimmnet.Rank(p.Nodes()) {
		if !slices.Contains(dsts, r) {
			return p.Port.Multicast(append(slices.Clone(dsts), r), off, v, size)
		}
	}
	return p.Port.Multicast(dsts, off, v, size)
}

// lateCast posts a Multicast after the next Store or Write.
type lateCast struct {
	dimmnet.Port
	late func()
}

func (p *lateCast) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.flush()
	p.late = func() { p.Port.Multicast(dsts, off, v, size) }
	return true
}

func (p *lateCast) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	defer p.flush()
	return p.Port.Store(dst, off, v, size)
}

func (p *lateCast) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	defer p.flush()
	return p.Port.Write(dst, off, b)
}

func (p *lateCast) flush() {
	if p.late != nil {
		runtime.Gosched() // let a peer find the flag without the word
		p.late()
		p.late = nil
	}
}

// castCounts counts a Multicast as a Store to each rank.
type castCounts struct {
	dimmnet.Port
	more dimmnet.Counters
}

func (p *castCounts) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	n := uint64(len(dsts) - 1)
	p.more = p.more.Plus(dimmnet.Counters{Stores: n, Bytes: n * uint64(size)})
	return p.Port.Multicast(dsts, off, v, size)
}

func (p *castCounts) Counters() dimmnet.Counters { return p.Port.Counters().Plus(p.more) }

// compact takes a rank twice for once.
type compact struct{ dimmnet.Port }

func (p compact) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return p.Port.Multicast(slices.Compact(slices.Clone(dsts)), off, v, size)
}

// halfCast refuses every fifth Multicast, which has reached the first rank.
type halfCast struct {
	dimmnet.Port
	posts  int
	hidden dimmnet.Counters
}

func (p *halfCast) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if p.posts++; p.posts%5 != 0 {
		return p.Port.Multicast(dsts, off, v, size)
	}
	p.Port.Multicast(dsts[:1], off, v, size)
	p.hidden = p.hidden.Plus(dimmnet.Counters{Stores: 1, Bytes: uint64(size)})
	return false
}

func (p *halfCast) Counters() dimmnet.Counters { return p.Port.Counters().Minus(p.hidden) }
