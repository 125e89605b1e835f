package is

import (
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// iterate changes two keys, ranks all keys, and returns the number of tests that passed.
func (s *sorter) iterate(iteration int) (passed int, err error) {
	s.change(s.keys, s.first, iteration)
	if err := s.node.During(s.toSend, s.send); err != nil {
		return 0, err
	}
	if err := s.node.Barrier(); err != nil {
		return 0, err
	}
	if err := s.node.During(s.toRank, s.rankKeys); err != nil {
		return 0, err
	}
	for i, key := range s.tested {
		if s.lo <= key && key < s.hi && int(s.less[key-s.lo]) == s.want(i, iteration) {
			passed++
		}
	}
	return fagus.Reduce(s.node, passed, sum)
}

func sum(a, b int) int { return a + b }

// send writes the keys of this rank into its boxes. The head lists the number of keys in each
// box. Then, for each test, it has the tested key plus one, or zero if another rank has this key.
func (s *sorter) send() error {
	me, nodes := s.node.Rank(), s.node.Nodes()
	begin := s.from[me*nodes : (me+1)*nodes]
	end := slices.Clone(begin)
	scatter(s.boxes.Slice(), end, s.keys, s.owner, s.shift)
	head := s.heads.Mine()
	for to := range nodes {
		head[to] = int32(end[to] - begin[to])
	}
	for i, number := range s.index {
		if at := number - s.first; 0 <= at && at < len(s.keys) {
			head[nodes+i] = s.keys[at] + 1
		}
	}
	s.node.Spend(fagus.Time(len(s.keys)) * sendTime)
	return nil
}

// rankKeys counts the received keys, and computes how many keys are smaller than each value.
func (s *sorter) rankKeys() error {
	me, nodes := s.node.Rank(), s.node.Nodes()
	clear(s.less)
	s.lesser = 0
	ranked := 0
	for from := range nodes {
		head := s.heads.Of(from)
		for _, c := range head[:me] {
			s.lesser += c
		}
		tally(s.less[1:], s.box(from), s.lo)
		ranked += int(head[me])
		for i, key := range head[nodes:] {
			if key > 0 {
				s.tested[i] = int(key) - 1
			}
		}
	}
	s.less[0] = s.lesser
	accumulate(s.less)
	s.node.Spend(fagus.Time(ranked)*countTime + fagus.Time(len(s.less))*sumTime)
	return nil
}

func (s *sorter) box(from int) []int32 {
	me, nodes := s.node.Rank(), s.node.Nodes()
	return s.boxes.Slice()[s.from[from*nodes+me]:][:s.heads.Of(from)[me]]
}

// verify sorts all keys by their ranks, and reports whether they are in order.
func (s *sorter) verify() (sorted bool, err error) {
	ends, err := parts.NewSums[int64](s.node, "ends", 2*s.node.Nodes())
	if err != nil {
		return false, err
	}
	var here []int32
	if err := s.node.During(s.toRank, func() error {
		here = s.sort()
		return nil
	}); err != nil {
		return false, err
	}
	all := make([]int64, 2*s.node.Nodes()) // the first and the last key of every rank
	first, last := s.lo, s.lo
	if len(here) > 0 {
		first, last = int(here[0]), int(here[len(here)-1])
	}
	all[2*s.node.Rank()], all[2*s.node.Rank()+1] = int64(first), int64(last)
	if err := ends.Add(all); err != nil {
		return false, err
	}
	ordered := 0 // number of keys that are in order
	if inOrder(here) && slices.IsSorted(all) {
		ordered = len(here)
	}
	ordered, err = fagus.Reduce(s.node, ordered, sum)
	return ordered == s.problem.keys, err
}

// sort returns the keys in this rank's range, each placed at its rank.
func (s *sorter) sort() []int32 {
	next := slices.Clone(s.less)
	keys := unsorted(int(next[len(next)-1] - s.lesser))
	for from := range s.node.Nodes() {
		place(keys, next, s.box(from), s.lo, s.lesser)
	}
	return keys
}
