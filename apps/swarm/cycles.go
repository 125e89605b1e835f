package swarm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Deviation is what a rank does in one step instead of the tenures of the round.
type Deviation struct {
	Step    int          `json:"step"`
	Rank    dimmnet.Rank `json:"rank"`
	Tenures []Tenure     `json:"tenures,omitempty"`
}

// String describes the deviation in one line.
func (d *Deviation) String() string {
	steps := []string{"nothing"}
	for i, t := range d.Tenures {
		steps = append(steps[:i], t.String())
	}
	return fmt.Sprintf("in step %d, rank %d: %s", d.Step, d.Rank, strings.Join(steps, "; "))
}

// steps returns the number of rounds that a run has.
func (c *Case) steps() int {
	if c.Steps == 0 || len(c.Rounds) == 0 {
		return len(c.Rounds)
	}
	return c.Steps
}

// at returns the tenures of a rank in a step, and the call at its end.
func (c *Case) at(step int, rank dimmnet.Rank) ([]Tenure, Call) {
	round := &c.Rounds[step%len(c.Rounds)]
	for i := range c.Deviations {
		if d := &c.Deviations[i]; d.Step == step && d.Rank == rank {
			return d.Tenures, round.End
		}
	}
	return round.Ranks[rank], round.End
}

const mostSteps = 1 << 20

func (c *Case) checkCycles() error {
	if c.Steps < 0 || c.Steps > mostSteps || c.Engine.Tree && (c.Engine.Direct || c.Engine.Threaded == c.Engine.Push) {
		return fmt.Errorf("swarm: %d steps, engine %+v: want 0 to %d steps, and for a tree push or threaded, not both and not direct", c.Steps, c.Engine, mostSteps)
	}
	for i := range c.Deviations {
		d := &c.Deviations[i]
		if d.Step < 0 || int(d.Rank) >= c.Nodes {
			return fmt.Errorf("swarm: deviation %d is of rank %d in step %d: want one of %d ranks, and no negative step", i, d.Rank, d.Step, c.Nodes)
		}
		if err := c.checkTenures(d.Tenures); err != nil {
			return fmt.Errorf("swarm: deviation %d: %w", i, err)
		}
	}
	return nil
}

// leastTreeLLCM is the least LLCM in bytes for lists over a tree.
const leastTreeLLCM = 4096

// NewCycles generates a case whose rounds run again and again, in phase mode with lists over a
// tree. Some ranks deviate now and then, and the last cycle may end early. kinds are as in New;
// the case has no fault of a UDP network.
func NewCycles(seed uint64, kinds []Kind) Case {
	if kinds == nil {
		kinds = Kinds()
	}
	g := &generator{rand.New(rand.NewPCG(seed, 6))}
	c := Case{Seed: seed, Nodes: 2 + g.IntN(4), Engine: Engine{Push: true, Tree: true, CPUs: 1 + g.IntN(2)}}
	if g.IntN(3) == 0 { // a tree of three levels
		c.Nodes = 10 + g.IntN(12)
	}
	for range 1 + g.IntN(4) {
		c.Variables = append(c.Variables, g.size())
	}
	// Rounds that come several times in a cycle let the past suggest a wrong round.
	var distinct []Round
	for range 1 + g.IntN(4) {
		distinct = append(distinct, g.sparse(&c))
	}
	for range 1 + g.IntN(6) {
		c.Rounds = append(c.Rounds, distinct[g.IntN(len(distinct))])
	}
	c = c.clone() // rounds share no memory
	c.takeTurns(seed)
	c.Steps = len(c.Rounds)*int(g.between(4, 60)) + g.IntN(len(c.Rounds))
	g.deviate(&c, []float64{0, 0.001, 0.01, 0.1}[g.IntN(4)])
	if g.IntN(2) == 0 {
		c.LLCM = int(g.between(leastTreeLLCM, 1<<17)) &^ (dimmnet.WordBytes - 1)
		c.Bulk = int(g.between(leastBulk, 1<<17)) &^ (dimmnet.WordBytes - 1)
	}
	faults := &generator{rand.New(rand.NewPCG(seed, 7))}
	faults.strike(&c, kinds)
	return c
}

// sparse returns a round in which on many nodes most ranks want nothing.
func (g *generator) sparse(c *Case) Round {
	round := g.round(c)
	round.End = []Call{Nothing, Nothing, Update, Barrier, Reduce}[g.IntN(5)]
	for _, tenures := range round.Ranks {
		for i := range tenures {
			tenures[i].Wants = slices.DeleteFunc(tenures[i].Wants, func(Want) bool { return g.IntN(c.Nodes) >= 4 })
		}
	}
	return round
}

// deviate lets one rank deviate in some steps: it has other tenures, writes nothing in those of the
// round, or leaves them out.
func (g *generator) deviate(c *Case, probability float64) {
	for step := range c.Steps {
		if g.Float64() >= probability {
			continue
		}
		d := Deviation{Step: step, Rank: dimmnet.Rank(g.IntN(c.Nodes))}
		switch g.IntN(3) {
		case 0:
			d.Tenures = g.sparse(c).Ranks[d.Rank]
		case 1:
			same := c.clone()
			d.Tenures = same.Rounds[step%len(c.Rounds)].Ranks[d.Rank]
			for i := range d.Tenures {
				for k := range d.Tenures[i].Wants {
					d.Tenures[i].Wants[k].Writes = nil
				}
			}
		}
		c.Deviations = append(c.Deviations, d)
	}
}
