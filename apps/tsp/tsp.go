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
	// Tours is the number of tours that this rank took from the stack, and Steps the number of
	// tours that it examined.
	Tours, Steps int
	// Time is the duration of this rank's search, from the barrier before it.
	Time fagus.Time
}

// maxDepth limits the stack, of which every rank has a copy.
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

type stack struct {
	Top  int64 // tours on the stack
	Busy int64 // ranks that have taken a tour and may push others
}

type search struct {
	*problem
	node *fagus.Node

	stack      *fagus.Array[stack] // one element
	tours      *fagus.Array[tour]
	best       *fagus.Array[tour] // one element, a round trip
	guardStack *fagus.SyncVar
	guardBest  *fagus.SyncVar

	known  tour   // the best tour of all ranks at this rank's last turn
	busy   bool   // this rank works on a tour from the stack
	push   []tour // extensions of the tour from the stack, not yet on the stack
	found  tour   // a round trip better than known; Count is 0 if there is none
	result Result
}

// Run searches for a shortest round trip. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	s := &search{problem: newProblem(cfg), node: n}
	if err := s.declare(); err != nil {
		return Result{}, err
	}
	if err := s.begin(); err != nil {
		return Result{}, err
	}
	var err error
	if s.result.Time, err = parts.Timed(n, s.search); err != nil {
		return Result{}, err
	}
	if n.Rank() != 0 {
		return s.result, nil
	}
	// The best tour of the last turn is final, because no rank was busy any more.
	return s.result, s.verify(&s.known, &s.result)
}

func (s *search) declare() (err error) {
	if s.stack, err = fagus.NewArray[stack](s.node, "stack", 1); err != nil {
		return err
	}
	if s.tours, err = fagus.NewArray[tour](s.node, "tours", s.capacity()); err != nil {
		return err
	}
	if s.best, err = fagus.NewArray[tour](s.node, "best", 1); err != nil {
		return err
	}
	if s.guardStack, err = s.node.Bind("stack", s.stack.All(), s.tours.All()); err != nil {
		return err
	}
	s.guardBest, err = s.node.Bind("best", s.best.All())
	return err
}

// capacity returns the number of possible tours of depth cities. There are never more on the
// stack, because no tour on it begins with another tour on it.
func (s *search) capacity() int {
	tours := 1
	for i := 1; i < min(int(s.depth), s.cities); i++ {
		tours *= s.cities - i
	}
	return tours
}

// begin pushes the first tour at rank 0. A Barrier must follow before others use the stack.
func (s *search) begin() error {
	n := s.node
	set := n.Set()
	if n.Rank() == 0 {
		set = n.Set(fagus.Want(s.guardStack, fagus.Exclusive), fagus.Want(s.guardBest, fagus.Exclusive))
	}
	return n.During(set, func() error {
		if n.Rank() == 0 {
			s.stack.Slice()[0] = stack{Top: 1}
			s.tours.Slice()[0] = tour{Count: 1}
			s.best.Slice()[0] = s.nearest()
		}
		return nil
	})
}

// The pauses of a rank that finds the stack empty, in virtual time; real Acquires take longer.
const (
	shortestPause = 10 * fagus.Microsecond
	longestPause  = fagus.Millisecond
)

// search takes tours until the stack is empty and no rank can push another.
func (s *search) search() error {
	pause := shortestPause
	for {
		t, over, err := s.turn()
		switch {
		case err != nil:
			return err
		case over:
			return nil
		case !s.busy:
			s.node.Spend(pause)
			pause = min(2*pause, longestPause)
			continue
		}
		pause = shortestPause
		if err := s.follow(t); err != nil {
			return err
		}
	}
}

// turn pushes the results of the last tour. If it takes another tour the rank is busy.
func (s *search) turn() (t tour, over bool, err error) {
	n := s.node
	access := fagus.Shared
	if s.found.Count > 0 {
		access = fagus.Exclusive
	}
	set := n.Set(fagus.Want(s.guardStack, fagus.Exclusive).Unordered(), fagus.Want(s.guardBest, access).Unordered())
	if err := n.Acquire(set); err != nil {
		return tour{}, false, err
	}
	best := &s.best.Slice()[0]
	if s.found.Count > 0 && s.found.Length < best.Length {
		*best = s.found
	}
	s.known, s.found = *best, tour{}
	k, tours := &s.stack.Slice()[0], s.tours.Slice()
	if int(k.Top)+len(s.push) > len(tours) {
		panic(fmt.Sprintf("tsp: rank %d pushes %d tours on top of %d: the stack has room for %d", n.Rank(), len(s.push), k.Top, len(tours)))
	}
	k.Top += int64(copy(tours[k.Top:], s.push))
	s.push = nil
	if s.busy {
		k.Busy--
	}
	if s.busy = k.Top > 0; s.busy {
		k.Top--
		k.Busy++
		t = tours[k.Top]
		s.result.Tours++
	}
	over = k.Top == 0 && k.Busy == 0
	return t, over, n.Release(set)
}

func (s *search) follow(t tour) (err error) {
	charge := func(steps int) error {
		s.node.Spend(fagus.Time(steps) * stepTime)
		return s.node.Err()
	}
	var steps int
	s.push, s.found, steps, err = s.problem.follow(&t, s.known.Length, charge)
	s.result.Steps += steps
	return err
}
