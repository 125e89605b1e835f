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

// sorted is what a rank finds when it has sorted its keys.
type sorted struct {
	First, Last int64 // key
	Ordered     int64 // number of keys that are in order
}

// verify sorts all keys by their ranks, and reports whether they are in order.
func (s *sorter) verify() (ordered bool, err error) {
	all, err := parts.NewVectors[sorted](s.node, "verification", 1)
	if err != nil {
		return false, err
	}
	var here []int32
	if err := s.moving.Exchange(s.send, func(from [][]int32) { here = s.sort(from) }); err != nil {
		return false, err
	}
	mine := sorted{First: int64(s.lo), Last: int64(s.lo)}
	if len(here) > 0 {
		mine.First, mine.Last = int64(here[0]), int64(here[len(here)-1])
	}
	if inOrder(here) {
		mine.Ordered = int64(len(here))
	}
	err = all.Gather([]sorted{mine}, func(from [][]sorted) {
		count, last := int64(0), int64(0)
		ordered = true
		for _, rank := range from {
			ordered = ordered && last <= rank[0].First && rank[0].First <= rank[0].Last
			count, last = count+rank[0].Ordered, rank[0].Last
		}
		ordered = ordered && count == int64(s.problem.keys)
	})
	return ordered, err
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
