package meshtest

import "github.com/fagus-dsm/fagus/dimmnet"

// Stop is larger than the number of every round.
const Stop = 1 << 63

// Still is a Stepper that makes no progress.
type Still struct{}

// Step does nothing.
func (Still) Step() (bool, error) { return false, nil }

// Await waits until the LLCM word at offset 0 is at least want, and returns the word.
func Await(p dimmnet.Port, want uint64) (got uint64, err error) {
	err = dimmnet.Until(p, func() bool {
		got = p.Load(0)
		return got >= want
	})
	return got, err
}

type posting struct {
	next, count int
	post        func(i int) bool
}

func (s *posting) Step() (progress bool, err error) {
	for s.next < s.count && s.post(s.next) {
		s.next++
		progress = true
	}
	return progress, nil
}

func (s *posting) done() bool { return s.next == s.count }

// PostAll calls post(0) to post(count-1), each until it returns true.
func PostAll(p dimmnet.Port, count int, post func(i int) bool) error {
	s := &posting{count: count, post: post}
	return dimmnet.Drive(p, s, s.done)
}

// Post calls post until it returns true.
func Post(p dimmnet.Port, post func() bool) error {
	return PostAll(p, 1, func(int) bool { return post() })
}

// Signal stores round to word 0 of the peer, in a run of two ranks.
func Signal(p dimmnet.Port, round uint64) error {
	return Post(p, func() bool { return p.Store(1-p.Rank(), 0, round, dimmnet.WordBytes) })
}

// Barrier is a barrier of all ranks. Each rank stores round at every rank.
func Barrier(p dimmnet.Port, round uint64) error {
	err := PostAll(p, p.Nodes(), func(peer int) bool {
		return p.Store(dimmnet.Rank(peer), dimmnet.Offset(p.Rank())*8, round, 8)
	})
	if err != nil {
		return err
	}
	return dimmnet.Drive(p, Still{}, func() bool {
		for peer := range dimmnet.Offset(p.Nodes()) {
			if p.Load(peer*8) < round {
				return false
			}
		}
		return true
	})
}
