package is

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// sorter is what a rank sorts with.
type sorter struct {
	problem
	node  *fagus.Node
	first int     // the number of the first key here
	keys  []int32 // this rank's block
	owner []int32 // by bucket: the rank that ranks its keys

	heads *parts.Blocks[int32] // by rank: how many keys it has for each rank, and its tests
	boxes *fagus.Array[int32]
	from  []int // where the box from a rank to another begins, by rank*nodes+other

	toSend, toRank *fagus.SyncSet

	lo, hi int        // this rank ranks keys of lo up to but not including hi
	lesser int32      // how many are less than lo
	less   []int32    // by key-lo: how many are less
	tested [tests]int // the keys whose ranks are verified
}

func newSorter(n *fagus.Node, p problem, spoil bool) (*sorter, error) {
	first, end := parts.Block(p.keys, n.Nodes(), n.Rank())
	s := &sorter{problem: p, node: n, first: first, keys: p.generate(first, end)}
	if spoil && n.Rank() == n.Nodes()-1 {
		s.keys[len(s.keys)-1] = 0
	}
	if err := s.share(); err != nil {
		return nil, err
	}
	s.lo, s.hi = s.begin(n.Rank()), s.begin(n.Rank()+1)
	s.less = make([]int32, s.hi-s.lo+1)
	counts, err := s.count()
	if err != nil {
		return nil, err
	}
	return s, s.bind(counts)
}

// share divides the buckets, so that ranks have about as many keys each.
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
		s.owner[b] = int32(min(before*s.node.Nodes()/s.problem.keys, s.node.Nodes()-1)) // no key may be behind
		before += int(size)
	}
	return nil
}

// begin is the first key of a rank's range.
func (s *sorter) begin(rank int) int {
	b, _ := slices.BinarySearch(s.owner, int32(rank))
	return b << s.shift
}

// count is how many keys each rank has for each other, by rank*nodes+other, before any is changed.
func (s *sorter) count() ([]int32, error) {
	n := s.node
	sums, err := parts.NewSums[int32](n, "counts", n.Nodes()*n.Nodes())
	if err != nil {
		return nil, err
	}
	counts := make([]int32, n.Nodes()*n.Nodes())
	mine := counts[n.Rank()*n.Nodes():]
	for _, key := range s.keys {
		mine[s.owner[key>>s.shift]]++
	}
	return counts, sums.Add(counts)
}

// bind makes the heads and the boxes. No box will get more keys than counted but for those that iterations
// change, two each.
func (s *sorter) bind(counts []int32) (err error) {
	n := s.node
	if s.heads, err = parts.NewBlocks[int32](n, "heads", n.Nodes(), n.Nodes()+tests); err != nil {
		return err
	}
	s.from = make([]int, len(counts)+1)
	for i, c := range counts {
		s.from[i+1] = s.from[i] + int(c) + 2*iterations
	}
	if s.boxes, err = fagus.NewArray[int32](n, "boxes", s.from[len(counts)]); err != nil {
		return err
	}
	toSend, toRank := s.heads.WantMine(fagus.Exclusive), s.heads.WantAll(fagus.Shared)
	for i := range counts {
		from, to := i/n.Nodes(), i%n.Nodes()
		box := s.boxes.Range(s.from[i], s.from[i+1])
		guard, err := n.Bind(fmt.Sprintf("box.%d.%d", from, to), box)
		if err != nil {
			return err
		}
		if from == n.Rank() {
			toSend = append(toSend, fagus.Want(guard, fagus.Exclusive).Writing(box))
		}
		if to == n.Rank() {
			toRank = append(toRank, fagus.Want(guard, fagus.Shared))
		}
	}
	s.toSend, s.toRank = n.Set(toSend...), n.Set(toRank...)
	return nil
}
