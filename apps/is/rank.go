package is

import (
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// iterate changes two keys, ranks all, and says how many tests have passed.
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

// send puts the keys into boxes, and says how many.
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

// rankKeys counts the keys that have been sent here, and how many are less than each.
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

// box is what a rank has sent here.
func (s *sorter) box(from int) []int32 {
	me, nodes := s.node.Rank(), s.node.Nodes()
	return s.boxes.Slice()[s.from[from*nodes+me]:][:s.heads.Of(from)[me]]
}

// verify sorts all keys by their ranks, and says whether they are in order then.
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
	all := make([]int64, 2*s.node.Nodes()) // the first and last key of every rank
	first, last := s.lo, s.lo
	if len(here) > 0 {
		first, last = int(here[0]), int(here[len(here)-1])
	}
	all[2*s.node.Rank()], all[2*s.node.Rank()+1] = int64(first), int64(last)
	if err := ends.Add(all); err != nil {
		return false, err
	}
	ordered := 0 // keys
	if inOrder(here) && slices.IsSorted(all) {
		ordered = len(here)
	}
	ordered, err = fagus.Reduce(s.node, ordered, sum)
	return ordered == s.problem.keys, err
}

// sort puts every key that this rank has ranked at its rank.
func (s *sorter) sort() []int32 {
	next := slices.Clone(s.less)
	keys := emptyPlaces(int(next[len(next)-1] - s.lesser))
	for from := range s.node.Nodes() {
		place(keys, next, s.box(from), s.lo, s.lesser)
	}
	return keys
}
