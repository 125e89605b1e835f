package porttest

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The ports of this file break the rules of Multicast.

// misses leaves out the last rank of a Multicast to several ranks.
type misses struct{ dimmnet.Port }

func (p misses) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return p.Port.Multicast(dsts[:max(1, len(dsts)-1)], off, v, size)
}

// oneMore reaches one rank that is not in the list.
type oneMore struct{ dimmnet.Port }

func (p oneMore) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	for r := range dimmnet.Rank(p.Nodes()) {
		if !slices.Contains(dsts, r) {
			return p.Port.Multicast(append(slices.Clone(dsts), r), off, v, size)
		}
	}
	return p.Port.Multicast(dsts, off, v, size)
}

// lateMulticast posts a Multicast after the next Store or Write.
type lateMulticast struct {
	dimmnet.Port
	late func()
	gap  gap
}

func (p *lateMulticast) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.flush()
	p.late = func() { p.Port.Multicast(dsts, off, v, size) }
	return true
}

func (p *lateMulticast) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	defer p.flush()
	return p.Port.Store(dst, off, v, size)
}

func (p *lateMulticast) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	defer p.flush()
	return p.Port.Write(dst, off, b)
}

func (p *lateMulticast) flush() {
	if p.late != nil {
		p.gap.open() // a peer finds the flag before the word has landed
		p.late()
		p.late = nil
	}
}

// miscountedMulticast counts a Multicast as a Store to each rank.
type miscountedMulticast struct {
	dimmnet.Port
	more dimmnet.Counters
}

func (p *miscountedMulticast) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	n := uint64(len(dsts) - 1)
	p.more = p.more.Plus(dimmnet.Counters{Stores: n, Bytes: n * uint64(size)})
	return p.Port.Multicast(dsts, off, v, size)
}

func (p *miscountedMulticast) Counters() dimmnet.Counters { return p.Port.Counters().Plus(p.more) }

// compact accepts a rank that is in the list twice.
type compact struct{ dimmnet.Port }

func (p compact) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return p.Port.Multicast(slices.Compact(slices.Clone(dsts)), off, v, size)
}

// partialMulticast refuses every fifth Multicast, but posts it to the first rank.
type partialMulticast struct {
	dimmnet.Port
	posts  int
	hidden dimmnet.Counters
}

func (p *partialMulticast) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if p.posts++; p.posts%5 != 0 {
		return p.Port.Multicast(dsts, off, v, size)
	}
	p.Port.Multicast(dsts[:1], off, v, size)
	p.hidden = p.hidden.Plus(dimmnet.Counters{Stores: 1, Bytes: uint64(size)})
	return false
}

func (p *partialMulticast) Counters() dimmnet.Counters { return p.Port.Counters().Minus(p.hidden) }
