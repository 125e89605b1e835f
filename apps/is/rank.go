package is

import (
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// iterate changes two keys, ranks all keys, and returns the number of tests that passed.
func (s *sorter) iterate(iteration int) (passed int, err error) {
	s.change(s.keys, s.first, iteration)
	if err := s.moving.Exchange(s.send, s.rankKeys); err != nil {
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

// headLength is the length of the head of a message: the number of keys that the sender has for
// lower ranks than the receiver, and then, for each test, the tested key plus one, or zero if
// another rank has this key.
const headLength = 1 + tests

// send sends every key to the rank that ranks it.
func (s *sorter) send(to [][]int32) {
	head := make([]int32, headLength)
	for i, number := range s.index {
		if at := number - s.first; 0 <= at && at < len(s.keys) {
			head[1+i] = s.keys[at] + 1
		}
	}
	for r := range to {
		to[r] = append(to[r], head...)
	}
	scatter(to, s.keys, s.owner, s.shift)
	lower := 0
	for _, message := range to {
		message[0] = int32(lower)
		lower += len(message) - headLength
	}
	s.node.Spend(fagus.Time(len(s.keys)) * sendTime)
}

// rankKeys counts the received keys, and computes how many keys are smaller than each value.
func (s *sorter) rankKeys(from [][]int32) {
	clear(s.less)
	s.lesser = 0
	ranked := 0
	for _, message := range from {
		s.lesser += message[0]
		for i, key := range message[1:headLength] {
			if key > 0 {
				s.tested[i] = int(key) - 1
			}
		}
		tally(s.less[1:], message[headLength:], s.lo)
		ranked += len(message) - headLength
	}
	s.less[0] = s.lesser
	accumulate(s.less)
	s.node.Spend(fagus.Time(ranked)*countTime + fagus.Time(len(s.less))*sumTime)
}

// verify sorts all keys by their ranks, and reports whether they are in order.
func (s *sorter) verify() (sorted bool, err error) {
	ends, err := parts.NewSums[int64](s.node, "ends", 2*s.node.Nodes())
	if err != nil {
		return false, err
	}
	var here []int32
	if err := s.moving.Exchange(s.send, func(from [][]int32) { here = s.sort(from) }); err != nil {
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
func (s *sorter) sort(from [][]int32) []int32 {
	next := slices.Clone(s.less)
	keys := unsorted(int(next[len(next)-1] - s.lesser))
	for _, message := range from {
		place(keys, next, message[headLength:], s.lo, s.lesser)
	}
	return keys
}
