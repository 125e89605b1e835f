package is

import (
	"fmt"
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

	// block r: the numbers of keys of rank r for each rank, then its tested keys plus one
	heads *parts.Blocks[int32]
	boxes *fagus.Array[int32]
	from  []int // by sender*nodes+receiver: the first index of their box

	toSend, toRank *fagus.SyncSet

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
	counts, err := s.count()
	if err != nil {
		return nil, err
	}
	return s, s.bind(counts)
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

// count returns the initial number of keys per box, by sender*nodes+receiver.
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

// bind creates the heads and the boxes. A box has capacity for the keys counted initially, and
// for two changed keys per iteration.
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
