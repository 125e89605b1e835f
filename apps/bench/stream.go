package bench

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// stream returns the operation in which rank 0 rewrites a region and rank 1 acquires the region.
// If read is set, the time includes reading all words.
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
	wrong            error // set if rank 1 read wrong data
}

// untilThere times the Acquire alone. Rank 1 reads the data afterwards, untimed. Otherwise, if all
// ranks share one copy, the data would not be in rank 1's caches when rank 0 rewrites it.
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
		return s.n.Barrier() // keeps rank 0 in threaded mode from rewriting too early
	})
}

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

// rewrite rewrites the region at rank 0. Only the time of the Release counts.
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
	return s.n.Barrier() // otherwise rank 1 might acquire the region before rank 0 does
}

// tenure acquires the set and calls f at rank 1. Other ranks acquire an empty set.
func (s *stream) tenure(set *fagus.SyncSet, f func()) error {
	if s.n.Rank() != 1 {
		set, f = s.none, func() {}
	}
	if err := during(s.n, set, f); err != nil {
		return err
	}
	return s.wrong
}

func (s *stream) read() {
	words := s.data.Slice()
	var differ uint64
	for i := 0; i < len(words); i += lineWords {
		differ |= words[i] ^ s.round
	}
	if differ != 0 {
		s.wrong = fmt.Errorf("bench: round %d: rank 1 read data that rank 0 did not write", s.round)
	}
}
