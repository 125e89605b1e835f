package many

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Variables is how many a rank acquires at once; there are so many for each rank.
	Variables int
	// Bytes is what a variable guards, a multiple of 8.
	Bytes int
	// Rounds is how often a rank acquires.
	Rounds int
	// Work is the computation of rank 0 in a round, in the time of the simulated
	// machine. It is really done, so a wall clock sees what it takes there.
	Work fagus.Time
	// Skew makes the last rank compute 1 + Skew times as long as rank 0, and those
	// between them something between.
	Skew float64
	// Independent lets every rank keep its variables. Then a rank that computes f
	// times as long in a round does only Rounds/f rounds, rounded up.
	Independent bool
	// Progress, if not nil, is called at every rank after each of its rounds with 1.
	Progress func(rounds int)
}

// Result is what a rank has in the end.
type Result struct {
	// Wrong is how many elements are not what they should be. Only rank 0 knows.
	Wrong int
	// Time is what this rank's rounds took, from a barrier before them.
	Time fagus.Time
}

// The most of everything: all amounts then stay far from what Time and uint64 hold.
const (
	maxVariables = 1 << 20 // of a rank
	maxBytes     = 1 << 30
	maxTotal     = 1 << 33 // bytes of a rank's variables
	maxRounds    = 1 << 30
	maxWork      = 100 * fagus.Second
	maxSkew      = 1000
)

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.Variables < 1 || c.Variables > maxVariables:
		return fmt.Errorf("many: %d variables for a rank: want 1 to %d", c.Variables, maxVariables)
	case c.Bytes < elementBytes || c.Bytes > maxBytes || c.Bytes%elementBytes != 0:
		return fmt.Errorf("many: variables of %d bytes: want a multiple of %d up to %d", c.Bytes, elementBytes, maxBytes)
	case c.Variables > maxTotal/c.Bytes:
		return fmt.Errorf("many: %d variables of %d bytes for a rank: want no more than %d bytes in all", c.Variables, c.Bytes, maxTotal)
	case c.Rounds < 1 || c.Rounds > maxRounds:
		return fmt.Errorf("many: %d rounds: want 1 to %d", c.Rounds, maxRounds)
	case c.Work < 0 || c.Work > maxWork:
		return fmt.Errorf("many: work of %v a round: want 0 to %v", c.Work, maxWork)
	case !(c.Skew >= 0 && c.Skew <= maxSkew): // this way round for NaN
		return fmt.Errorf("many: skew %v: want 0 to %d", c.Skew, maxSkew)
	}
	return nil
}

// RoundsOf is how many rounds a rank does.
func (c *Config) RoundsOf(rank, nodes int) int {
	if !c.Independent {
		return c.Rounds
	}
	return int(float64(c.Rounds-1)/c.stretch(rank, nodes)) + 1
}

// stretch is how many times as long as rank 0 a rank computes.
func (c *Config) stretch(rank, nodes int) float64 {
	return 1 + c.Skew*float64(rank)/float64(max(1, nodes-1))
}

// steps is how often the kernel of a rank adds in a round.
func (c *Config) steps(rank, nodes int) int {
	return int(float64(c.Work) * c.stretch(rank, nodes) / float64(stepTime))
}

const elementBytes = 8

// shared is the program's shared data. Group g of the variables is those from
// g*Variables up to but not including (g+1)*Variables.
type shared struct {
	Config
	node      *fagus.Node
	elements  *fagus.Array[uint64]
	variables []*fagus.SyncVar
}

// Run does the rounds. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	s := shared{Config: cfg, node: n}
	if err := s.declare(); err != nil {
		return Result{}, err
	}
	took, err := parts.Timed(n, func() error {
		for round := range s.RoundsOf(n.Rank(), n.Nodes()) {
			if err := s.round(round); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	if err := n.Barrier(); err != nil { // all rounds of all ranks are over
		return Result{}, err
	}
	result := Result{Time: took}
	if n.Rank() != 0 {
		return result, nil
	}
	result.Wrong, err = s.verify()
	return result, err
}

// declare makes the array and binds the variables, the same at every rank.
func (s *shared) declare() (err error) {
	total := s.Variables * s.node.Nodes()
	if s.elements, err = fagus.NewArray[uint64](s.node, "elements", total*s.size()); err != nil {
		return err
	}
	s.variables = make([]*fagus.SyncVar, total)
	for v := range s.variables {
		if s.variables[v], err = s.node.Bind(fmt.Sprintf("variable.%d", v), s.guarded(v)); err != nil {
			return err
		}
	}
	return nil
}

// size is how many elements a variable guards.
func (s *shared) size() int { return s.Bytes / elementBytes }

// guarded are the elements of variable v.
func (s *shared) guarded(v int) fagus.Range { return s.elements.Range(v*s.size(), (v+1)*s.size()) }

// group is what a rank works on in a round: what the rank after it had before.
func (s *shared) group(rank, round int) int {
	if s.Independent {
		return rank
	}
	return (rank + round) % s.node.Nodes()
}

// round acquires, adds, computes and releases.
func (s *shared) round(round int) error {
	n := s.node
	g := s.group(n.Rank(), round)
	var wants []fagus.Request
	for v := g * s.Variables; v < (g+1)*s.Variables; v++ {
		// Every element will be written, so nobody need find out which.
		wants = append(wants, fagus.Want(s.variables[v], fagus.Exclusive).Writing(s.guarded(v)))
	}
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	sum, err := s.compute()
	if err != nil {
		return err
	}
	amount := ticket(n.Rank(), round, n.Nodes()) + sum
	first := g * s.Variables * s.size()
	mine := s.elements.Slice()[first : first+s.Variables*s.size()]
	for i := range mine {
		mine[i] += amount * uint64(first+i+1)
	}
	if s.Progress != nil {
		s.Progress(1)
	}
	if err := n.Release(set); err != nil || s.Independent {
		return err
	}
	return n.Barrier() // or a rank could have its next variables before their last round
}
