package is

import (
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

type sorter struct {
	problem
	node  *fagus.Node
	first int     // the position of keys[0]
	keys  []int32 // the block of keys that this rank generates
	owner []int32 // by bucket: the rank that ranks its keys

	moving *parts.AllToAll[int32] // messages of a head and keys
	counts *parts.AllToAll[int32] // messages of a head and counts; nil unless counting
	own    []int32                // by value: the number of this rank's keys; nil unless counting

	lo, hi int        // this rank owns the values lo to hi-1
	lesser int32      // the number of keys below lo
	less   []int32    // by key-lo: the number of smaller keys
	tested [tests]int // the keys whose ranks are verified
}

func newSorter(n *fagus.Node, p problem, opts *verify.Options) (*sorter, error) {
	first, end := parts.Block(p.keys, n.Nodes(), n.Rank())
	s := &sorter{problem: p, node: n, first: first, keys: p.generate(first, end)}
	opts.PlantLast(n, p.keys, func() { s.keys[len(s.keys)-1] = 0 })
	if err := s.share(); err != nil {
		return nil, err
	}
	s.lo, s.hi = s.begin(n.Rank()), s.begin(n.Rank()+1)
	s.less = make([]int32, s.hi-s.lo+1)
	return s, s.declare()
}

// share divides the buckets among the ranks so that each gets about as many keys.
func (s *sorter) share() error {
	sums, err := parts.NewSums[int64](s.node, "buckets", s.buckets())
	if err != nil {
		return err
	}
	sizes := make([]int64, s.buckets())
	for _, key := range s.keys {
		sizes[key>>s.shift]++
	}
	if err := sums.Add(sizes); err != nil {
		return err
	}
	s.owner = make([]int32, s.buckets())
	before := 0
	for b, size := range sizes {
		// Buckets behind the last key belong to the last rank.
		s.owner[b] = int32(min(before*s.node.Nodes()/s.problem.keys, s.node.Nodes()-1))
		before += int(size)
	}
	return nil
}

func (s *sorter) begin(rank int) int {
	b, _ := slices.BinarySearch(s.owner, int32(rank))
	return b << s.shift
}

// counting reports whether ranks send each other counts. Otherwise they send keys. Every rank has
// the counts of all values, or its share of the keys; whatever is less moves.
func (s *sorter) counting() bool { return s.largest*s.node.Nodes() < s.problem.keys }

// declare makes room for the keys that the largest message has initially, and for two changed keys
// per iteration; and for the counts of the widest range.
func (s *sorter) declare() error {
	counts, values := make([]int, s.node.Nodes()), 0
	for _, key := range s.keys {
		counts[s.owner[key>>s.shift]]++
	}
	most, err := fagus.Reduce(s.node, slices.Max(counts), func(a, b int) int { return max(a, b) })
	if err != nil {
		return err
	}
	if s.moving, err = parts.NewAllToAll[int32](s.node, "keys", headLength+most+2*iterations); err != nil || !s.counting() {
		return err
	}
	for r := range s.node.Nodes() {
		values = max(values, s.begin(r+1)-s.begin(r))
	}
	s.own = make([]int32, s.largest)
	s.counts, err = parts.NewAllToAll[int32](s.node, "counts", headLength+values)
	return err
}
