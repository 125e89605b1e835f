package tsp

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Cities is how many there are, 1 to MaxCities.
	Cities int
	// Seed is where the cities come from.
	Seed uint64
	// Instance is Burma14, which has 14 cities of its own, or empty.
	Instance string
	// Depth is how many cities a tour has that is searched by one rank; 0 stands for 3.
	Depth int
}

// Size is how many cities there are.
func (c *Config) Size() int {
	if c.Instance == Burma14 {
		return burmaCities
	}
	return c.Cities
}

// Result is what a rank has in the end.
type Result struct {
	// Tour is the shortest round trip, from city 0, and Length its length. Only rank 0
	// knows them, and the Optimum by dynamic programming.
	Tour            []int
	Length, Optimum int
	// Tours is how many this rank took from the stack, and Steps how many it looked at.
	Tours, Steps int
	// Time is what this rank's search took, from a barrier before it.
	Time fagus.Time
}

// maxDepth bounds the stack, which every rank has a copy of.
const maxDepth = 4

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.Instance != "" && c.Instance != Burma14:
		return fmt.Errorf("tsp: instance %q: there is %s", c.Instance, Burma14)
	case c.Instance == "" && (c.Cities < 1 || c.Cities > MaxCities):
		return fmt.Errorf("tsp: %d cities: want 1 to %d", c.Cities, MaxCities)
	case c.Depth < 0 || c.Depth > maxDepth:
		return fmt.Errorf("tsp: depth %d: want 1 to %d", c.Depth, maxDepth)
	}
	return nil
}

// stack says how much of the array of tours is used.
type stack struct {
	Top  int64 // tours that are there
	Busy int64 // ranks that have taken one, and may push others
}

// search is the program's shared data, and what the rank knows by itself.
type search struct {
	*problem
	node *fagus.Node

	stack      *fagus.Array[stack] // one
	tours      *fagus.Array[tour]
	best       *fagus.Array[tour] // one, a round trip
	guardStack *fagus.SyncVar
	guardBest  *fagus.SyncVar

	known  tour   // the best one of the last turn
	busy   bool   // with a tour from the stack
	push   []tour // has come of it
	found  tour   // a round trip that was the best known; Count is 0 if there is none
	result Result
}

// Run searches. Every rank calls it with the same Config.
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
	// The best tour of the last turn is the best of all: whoever had a better one was busy then.
	return s.result, s.verify(&s.known, &s.result)
}

// declare makes the arrays and binds the variables, the same at every rank.
func (s *search) declare() (err error) {
	if s.stack, err = fagus.NewArray[stack](s.node, "stack", 1); err != nil {
		return err
	}
	if s.tours, err = fagus.NewArray[tour](s.node, "tours", s.room()); err != nil {
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

// room is how many tours of depth cities there are: no more are on the stack, since
// none of those begins with another one.
func (s *search) room() int {
	room := 1
	for i := 1; i < min(int(s.depth), s.cities); i++ {
		room *= s.cities - i
	}
	return room
}

// begin puts the first tour on the stack at rank 0. A Barrier must follow before others look.
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

// The pauses of a rank that has found nothing, on a virtual clock. On a wall clock the
// Acquire itself takes its time.
const (
	shortestPause = 10 * fagus.Microsecond
	longestPause  = fagus.Millisecond
)

// search takes tours until there are none, and nobody is left who may push one.
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

// turn hands in what has come of the last tour and takes another one, if there is one:
// then the rank is busy.
func (s *search) turn() (t tour, over bool, err error) {
	n := s.node
	mode := fagus.Shared
	if s.found.Count > 0 {
		mode = fagus.Exclusive
	}
	set := n.Set(fagus.Want(s.guardStack, fagus.Exclusive), fagus.Want(s.guardBest, mode))
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
		panic(fmt.Sprintf("tsp: rank %d: %d tours on top of %d, and room for %d", n.Rank(), len(s.push), k.Top, len(tours)))
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

// follow does what is to be done with a tour from the stack.
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
