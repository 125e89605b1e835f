package bench

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// stream lets rank 0 rewrite a region, and times how it comes to rank 1: with its reading, or
// without.
func (m *Meter) stream(words int, read bool) (func(uint64) error, error) {
	n := m.n
	data, guard, err := guarded[uint64](m, "", words)
	if err != nil {
		return nil, err
	}
	s := stream{
		Meter: m, data: data,
		write: n.Set(fagus.Want(guard, fagus.Exclusive).Writing(data.All())),
		see:   n.Set(fagus.Want(guard, fagus.Shared)),
		none:  n.Set(),
	}
	if read {
		return s.andRead, nil
	}
	return s.untilThere, nil
}

type stream struct {
	*Meter
	data             *fagus.Array[uint64]
	write, see, none *fagus.SyncSet
	round            uint64
	wrong            error // what rank 1 has read
}

// untilThere times an acquisition. What was acquired is read later: else it would never have
// come near rank 1 where all ranks have one copy, nor be there when it is rewritten.
func (s *stream) untilThere(round uint64) error {
	s.round = round
	if err := s.rewrite(); err != nil {
		return err
	}
	if err := s.tenure(s.see, func() {}); err != nil {
		return err
	}
	if err := s.n.Barrier(); err != nil {
		return err
	}
	return s.beside(func() error {
		if err := s.tenure(s.see, s.read); err != nil {
			return err
		}
		return s.n.Barrier() // rank 0 rewrites it after that, in threaded mode as well
	})
}

// andRead times an acquisition and the reading.
func (s *stream) andRead(round uint64) error {
	s.round = round
	if err := s.rewrite(); err != nil {
		return err
	}
	if err := s.tenure(s.see, s.read); err != nil {
		return err
	}
	return s.n.Barrier()
}

// rewrite is off the clock, but for giving back what was written.
func (s *stream) rewrite() error {
	set := s.none
	err := s.beside(func() error {
		if s.n.Rank() == 0 {
			set = s.write
		}
		if err := s.n.Acquire(set); err != nil || set == s.none {
			return err
		}
		words := s.data.Slice()
		for i := range words {
			words[i] = s.round
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.n.Release(set); err != nil || s.n.Mode() == fagus.Phase {
		return err
	}
	return s.n.Barrier() // else rank 1 may have acquired it before rank 0 did
}

// tenure acquires the set at rank 1, and nothing elsewhere.
func (s *stream) tenure(set *fagus.SyncSet, f func()) error {
	if s.n.Rank() != 1 {
		set, f = s.none, func() {}
	}
	if err := during(s.n, set, f); err != nil {
		return err
	}
	return s.wrong
}

// read looks at a word of each cache line.
func (s *stream) read() {
	words := s.data.Slice()
	var differ uint64
	for i := 0; i < len(words); i += lineWords {
		differ |= words[i] ^ s.round
	}
	if differ != 0 {
		s.wrong = fmt.Errorf("bench: round %d: rank 1 has read what was not written", s.round)
	}
}
