package porttest

import (
	"math/rand/v2"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// filter is a port whose posts pass through a function. The function gets posts with valid
// arguments only, and only while the port has not failed.
type filter struct {
	dimmnet.Port
	through func(posting) (posted bool)
}

// posting is one call of a posting method.
type posting struct {
	do     func() bool      // makes the call, now or later, with its own copy of the arguments
	peers  []dimmnet.Rank   // ranks that the call names
	counts dimmnet.Counters // what the call adds to the counters
}

// isMove reports whether the call is a Push or Pull, which the port performs in its own time.
func (c posting) isMove() bool { return c.counts.Pushes+c.counts.Pulls > 0 }

func (f *filter) pass(c posting) bool { return f.Err() == nil && f.through(c) }

func (f *filter) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	limits := f.Limits()
	limits.CheckStore(f.Nodes(), dst, off, size)
	do := func() bool { return f.Port.Store(dst, off, v, size) }
	return f.pass(posting{do, []dimmnet.Rank{dst}, dimmnet.Counters{Stores: 1, Bytes: uint64(size)}})
}

func (f *filter) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	limits := f.Limits()
	limits.CheckWrite(f.Nodes(), dst, off, len(b))
	b = slices.Clone(b)
	do := func() bool { return f.Port.Write(dst, off, b) }
	return f.pass(posting{do, []dimmnet.Rank{dst}, dimmnet.Counters{Writes: 1, Bytes: uint64(len(b))}})
}

func (f *filter) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	limits := f.Limits()
	limits.CheckMulticast(f.Nodes(), dsts, off, size)
	dsts = slices.Clone(dsts)
	do := func() bool { return f.Port.Multicast(dsts, off, v, size) }
	return f.pass(posting{do, dsts, dimmnet.Counters{Stores: 1, Bytes: uint64(size)}})
}

func (f *filter) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	limits := f.Limits()
	limits.CheckRDMA(f.Nodes(), dst, from, to, n, done)
	do := func() bool { return f.Port.Push(dst, from, to, n, done) }
	return f.pass(posting{do, []dimmnet.Rank{dst}, dimmnet.Counters{Pushes: 1, Bytes: uint64(n)}})
}

func (f *filter) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	limits := f.Limits()
	limits.CheckRDMA(f.Nodes(), src, from, to, n, done)
	do := func() bool { return f.Port.Pull(src, from, to, n, done) }
	return f.pass(posting{do, []dimmnet.Rank{src}, dimmnet.Counters{Pulls: 1, Bytes: uint64(n)}})
}

// dice returns random numbers for p's rank and a kind of wrapper; kinds with one seed differ.
func dice(seed uint64, p dimmnet.Port, kind uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, kind<<16|uint64(p.Rank())))
}
