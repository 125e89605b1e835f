package many

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Variables is the number of variables that a rank acquires at once. There are as many for
	// each rank.
	Variables int
	// Bytes is the size of the data bound to a variable, a multiple of 8.
	Bytes int
	// Rounds is the number of rounds.
	Rounds int
	// Work is the computation of rank 0 in a round, in time of the simulated machine. It is
	// really performed, so real time passes as well.
	Work fagus.Time
	// Skew makes the last rank compute 1 + Skew times as long as rank 0, and the ranks in between
	// proportionally.
	Skew float64
	// Independent lets every rank keep its variables. A rank that computes f times as long in a
	// round then does only Rounds/f rounds, rounded up.
	Independent bool
	// Progress, if not nil, is called at every rank with 1 after each of its rounds.
	Progress func(rounds int)
}

// Result is the outcome at one rank.
type Result struct {
	// Wrong is the number of wrong elements. Only rank 0 has it.
	Wrong int
	// Time is the duration of this rank's rounds, from the barrier before them.
	Time fagus.Time
}

// Upper limits of the configuration: all amounts stay far below the limits of Time and uint64.
const (
	maxVariables = 1 << 20 // per rank
	maxBytes     = 1 << 30
	maxTotal     = 1 << 33 // bytes of a rank's variables
	maxRounds    = 1 << 30
	maxWork      = 100 * fagus.Second
	maxSkew      = 1000
)

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Variables < 1 || c.Variables > maxVariables:
		return fmt.Errorf("many: %d variables per rank: want 1 to %d", c.Variables, maxVariables)
	case c.Bytes < elementBytes || c.Bytes > maxBytes || c.Bytes%elementBytes != 0:
		return fmt.Errorf("many: variables of %d bytes: want a multiple of %d, at most %d", c.Bytes, elementBytes, maxBytes)
	case c.Variables > maxTotal/c.Bytes:
		return fmt.Errorf("many: %d variables of %d bytes per rank: want at most %d bytes in all", c.Variables, c.Bytes, maxTotal)
	case c.Rounds < 1 || c.Rounds > maxRounds:
		return fmt.Errorf("many: %d rounds: want 1 to %d", c.Rounds, maxRounds)
	case c.Work < 0 || c.Work > maxWork:
		return fmt.Errorf("many: work of %v per round: want 0 to %v", c.Work, maxWork)
	case !(c.Skew >= 0 && c.Skew <= maxSkew): // written so that NaN fails
		return fmt.Errorf("many: skew %v: want 0 to %d", c.Skew, maxSkew)
	}
	return nil
}

// RoundsOf returns the number of rounds of a rank.
func (c *Config) RoundsOf(rank, nodes int) int {
	if !c.Independent {
		return c.Rounds
	}
	return int(float64(c.Rounds-1)/c.stretch(rank, nodes)) + 1
}

func (c *Config) stretch(rank, nodes int) float64 {
	return 1 + c.Skew*float64(rank)/float64(max(1, nodes-1))
}

func (c *Config) steps(rank, nodes int) int {
	return int(float64(c.Work) * c.stretch(rank, nodes) / float64(stepTime))
}

const elementBytes = 8

// shared is the state of a rank. Group g is the variables g*Variables to (g+1)*Variables-1.
type shared struct {
	Config
	node      *fagus.Node
	elements  *fagus.Array[uint64]
	variables []*fagus.SyncVar
}

// Run performs the rounds. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	s := shared{Config: cfg, node: n}
	if err := s.declare(); err != nil {
		return Result{}, err
	}
	n.Resume()
	took, _ := parts.Timed(n, func() error {
		for round := range n.Steps(s.Rounds) {
			if round < s.RoundsOf(n.Rank(), n.Nodes()) {
				s.round(round)
			}
		}
		return n.Err()
	})
	n.Barrier() // all ranks have finished all rounds
	result := Result{Time: took}
	if n.Rank() == 0 {
		result.Wrong = s.verify()
	}
	return result, n.Err()
}

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

func (s *shared) size() int                 { return s.Bytes / elementBytes }
func (s *shared) guarded(v int) fagus.Range { return s.elements.Range(v*s.size(), (v+1)*s.size()) }

// group returns the group of a rank in a round: the next rank had it in the previous round.
func (s *shared) group(rank, round int) int {
	if s.Independent {
		return rank
	}
	return (rank + round) % s.node.Nodes()
}

func (s *shared) round(round int) {
	n := s.node
	g := s.group(n.Rank(), round)
	var wants []fagus.Request
	for v := g * s.Variables; v < (g+1)*s.Variables; v++ {
		// Every element is overwritten, so Fagus need not find out which elements change.
		wants = append(wants, fagus.Want(s.variables[v], fagus.Exclusive).Writing(s.guarded(v)))
	}
	n.Set(wants...).Do(func() {
		amount := ticket(n.Rank(), round, n.Nodes()) + s.compute()
		first := g * s.Variables * s.size()
		mine := s.elements.Slice()[first : first+s.Variables*s.size()]
		for i := range mine {
			mine[i] += amount * uint64(first+i+1)
		}
		if s.Progress != nil {
			s.Progress(1)
		}
	})
	if !s.Independent {
		// The Barrier keeps a rank from acquiring variables that the next rank has yet to change.
		n.Barrier()
	}
}
