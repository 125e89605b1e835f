package is

import (
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// iterate changes two keys, ranks all keys, and returns the number of tests that passed.
func (s *sorter) iterate(iteration int) (passed int, err error) {
	s.change(s.keys, s.first, iteration)
	if s.counting() {
		err = s.counts.Exchange(s.sendCounts, s.addCounts)
	} else {
		err = s.moving.Exchange(s.send, s.rankKeys)
	}
	if err != nil {
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

// heads appends a head to every message, without the number of keys for lower ranks.
func (s *sorter) heads(to [][]int32) {
	head := make([]int32, headLength)
	for i, number := range s.index {
		if at := number - s.first; 0 <= at && at < len(s.keys) {
			head[1+i] = s.keys[at] + 1
		}
	}
	for r := range to {
		to[r] = append(to[r], head...)
	}
}

// read reads the head of a message.
func (s *sorter) read(message []int32) {
	s.lesser += message[0]
	for i, key := range message[1:headLength] {
		if key > 0 {
			s.tested[i] = int(key) - 1
		}
	}
}

// sendCounts counts this rank's keys, and sends every rank the counts of its values.
func (s *sorter) sendCounts(to [][]int32) {
	s.heads(to)
	clear(s.own)
	tally(s.own, s.keys, 0)
	lower := int32(0)
	for r := range to {
		counts := s.own[s.begin(r):s.begin(r+1)]
		to[r][0] = lower
		to[r] = append(to[r], counts...)
		lower += total(counts)
	}
	s.node.Spend(fagus.Time(len(s.keys))*countTime + fagus.Time(len(s.own))*sumTime)
}

// addCounts adds the received counts, and computes how many keys are smaller than each value.
func (s *sorter) addCounts(from [][]int32) {
	s.lesser = 0
	for r, message := range from {
		s.read(message)
		if counts := message[headLength:]; r == 0 {
			copy(s.less[1:], counts)
		} else {
			add(s.less[1:], counts)
		}
	}
	s.accumulate()
	s.node.Spend(fagus.Time(len(from)*len(s.less)) * sumTime)
}

// send sends every key to the rank that ranks it.
func (s *sorter) send(to [][]int32) {
	s.heads(to)
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
		s.read(message)
		tally(s.less[1:], message[headLength:], s.lo)
		ranked += len(message) - headLength
	}
	s.accumulate()
	s.node.Spend(fagus.Time(ranked)*countTime + fagus.Time(len(s.less))*sumTime)
}

// accumulate replaces the counts of values in less by numbers of smaller keys.
func (s *sorter) accumulate() {
	s.less[0] = s.lesser
	accumulate(s.less)
}

// sorted describes a rank's keys after sorting.
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
