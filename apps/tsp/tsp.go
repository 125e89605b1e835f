package tsp

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Cities is the number of random cities, 1 to MaxCities. Instance replaces them.
	Cities int
	// Seed is the seed of their positions.
	Seed uint64
	// Instance is Burma14, which has 14 fixed cities, or empty.
	Instance string
	// Depth is the number of cities of a tour that one rank searches exhaustively; 0 means 3.
	Depth int
}

// Size returns the number of cities.
func (c *Config) Size() int {
	if c.Instance == Burma14 {
		return burmaCities
	}
	return c.Cities
}

// Result is the outcome at one rank.
type Result struct {
	// Tour is the shortest round trip, from city 0, Length its length, and Optimum the length by
	// dynamic programming. Only rank 0 has them.
	Tour            []int
	Length, Optimum int
	// Tours is the number of tours that this rank took from the pool, and Steps the number of
	// tours that it examined.
	Tours, Steps int
	// Time is the duration of this rank's search, from the barrier before it.
	Time fagus.Time
}

// maxDepth limits the pool, of which every rank has a copy.
const maxDepth = 4

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Instance != "" && c.Instance != Burma14:
		return fmt.Errorf("tsp: instance %q: want %s or none", c.Instance, Burma14)
	case c.Instance == "" && (c.Cities < 1 || c.Cities > MaxCities):
		return fmt.Errorf("tsp: %d cities: want 1 to %d", c.Cities, MaxCities)
	case c.Depth < 0 || c.Depth > maxDepth:
		return fmt.Errorf("tsp: depth %d: want 1 to %d", c.Depth, maxDepth)
	}
	return nil
}

type search struct {
	*problem
	node *fagus.Node
	pool *parts.Pool[tour]
	best *fagus.Guarded[tour] // one element, a round trip

	known  tour // the best tour of all ranks at this rank's last exchange
	found  tour // a round trip better than known; Count is 0 if there is none
	result Result
}

// Run searches for a shortest round trip. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	s := &search{problem: newProblem(cfg), node: n, best: fagus.NewGuarded[tour](n, "best", 1)}
	var err error
	if s.pool, err = parts.NewPool[tour](n, "tours", s.capacity()); err != nil {
		return Result{}, err
	}
	n.Resume()
	if s.result.Time, err = parts.Timed(n, s.search); err != nil {
		return Result{}, err
	}
	n.Barrier() // the best tour is final
	if n.Rank() != 0 {
		return s.result, n.Set().Do(func() {})
	}
	if err := n.Set(s.best.Read()).Do(func() { s.known = s.best.Slice()[0] }); err != nil {
		return Result{}, err
	}
	return s.result, s.verify(&s.known, &s.result)
}

// capacity returns the number of possible tours of depth cities. There are never more in the pool,
// because no tour in it begins with another tour in it.
func (s *search) capacity() int {
	tours := 1
	for i := 1; i < min(int(s.depth), s.cities); i++ {
		tours *= s.cities - i
	}
	return tours
}

// search takes tours from the pool until no rank can add another. Checkpoints are possible between
// tours with different second cities.
func (s *search) search() error {
	s.known = s.nearest()
	if s.node.Rank() == 0 {
		s.found = s.known
	}
	first := []tour{{Count: 1}}
	if s.node.Checkpoints() && s.cities > 1 {
		first = s.next(&first[0], s.known.Length+1)
	}
	return s.pool.EachInRounds(first, s.follow, parts.Exchange{Want: s.want, Do: s.exchange})
}

func (s *search) want() []fagus.Request {
	if s.found.Count > 0 {
		return []fagus.Request{s.best.Write().Unordered()}
	}
	return []fagus.Request{s.best.Read().Unordered()}
}

func (s *search) exchange() {
	best := &s.best.Slice()[0]
	if s.found.Count > 0 && (best.Count == 0 || s.found.Length < best.Length) {
		*best = s.found
	}
	if best.Count > 0 { // 0 if rank 0 has its first turn later
		s.known = *best
	}
	s.found = tour{}
}

func (s *search) follow(t tour, add func(tour)) error {
	charge := func(steps int) error {
		s.node.Spend(fagus.Time(steps) * stepTime)
		return s.node.Err()
	}
	limit := s.known.Length
	if s.found.Count > 0 {
		limit = s.found.Length
	}
	more, found, steps, err := s.problem.follow(&t, limit, charge)
	for _, t := range more {
		add(t)
	}
	if found.Count > 0 {
		s.found = found
	}
	s.result.Tours++
	s.result.Steps += steps
	return err
}
