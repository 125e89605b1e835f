package swarm

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// Kind is a kind of fault or other disturbance of a run.
type Kind string

// The kinds of disturbances; the last four apply only to UDP networks.
const (
	Delay     Kind = "delay" // packets and computing take longer, at random
	Pause     Kind = Kind(sim.Pause)
	Crash     Kind = Kind(sim.Crash)
	Partition Kind = Kind(sim.Partition)
	Corrupt   Kind = Kind(sim.Corrupt)
	Loss      Kind = "loss"
	Duplicate Kind = "duplicate"
	Reorder   Kind = "reorder"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Delay, Pause, Crash, Partition, Corrupt, Loss, Duplicate, Reorder} }

// Kinds returns the kinds of the case, each once, in the order of the function Kinds.
func (c *Case) Kinds() (kinds []Kind) {
	for _, kind := range Kinds() {
		if c.has(kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func (c *Case) has(kind Kind) bool {
	switch kind {
	case Delay:
		return c.MaxDelay > 0
	case Loss:
		return c.UDP != nil && c.UDP.Loss > 0
	case Duplicate:
		return c.UDP != nil && c.UDP.Duplicate > 0
	case Reorder:
		return c.UDP != nil && c.UDP.Reorder > 0
	}
	return slices.ContainsFunc(c.Faults, func(f sim.Fault) bool { return Kind(f.Kind) == kind })
}

// New generates a case from a seed. It has only disturbances of the given kinds; nil means all.
// The program and its configuration do not depend on kinds.
func New(seed uint64, kinds []Kind) Case {
	if kinds == nil {
		kinds = Kinds()
	}
	g := &generator{rand.New(rand.NewPCG(seed, 1))}
	c := Case{Seed: seed, Nodes: 2 + g.IntN(4)}
	for range 1 + g.IntN(4) {
		c.Variables = append(c.Variables, g.size())
	}
	c.Engine.CPUs = 1 + g.IntN(2)
	udp := g.IntN(3) == 0
	switch g.IntN(4) {
	case 0:
	case 1:
		c.Engine.Push = !udp
	case 2:
		c.Engine.Threaded = true
	case 3:
		c.Engine.Threaded, c.Engine.Notices = true, !udp
	}
	direct := rand.New(rand.NewPCG(seed, 5)).IntN(2) == 0
	c.Engine.Direct = c.Engine.Threaded && !udp && direct
	tree := rand.New(rand.NewPCG(seed, 8)).IntN(2) == 0
	c.Engine.Tree = c.Engine.Threaded && !c.Engine.Direct && tree
	for range int(g.between(1, 100)) {
		c.Rounds = append(c.Rounds, g.round(&c))
	}
	c.takeTurns(seed)
	if udp {
		c.UDP = &sim.UDP{}
	}
	// Small memories cause rings of two slots, and bulk transfers of many messages.
	if memory := (&generator{rand.New(rand.NewPCG(seed, 4))}); memory.IntN(2) == 0 {
		c.LLCM = int(memory.between(leastLLCM, 1<<17)) &^ (dimmnet.WordBytes - 1)
		if !udp {
			c.Bulk = int(memory.between(leastBulk, 1<<17)) &^ (dimmnet.WordBytes - 1)
		}
	}
	// Faults have a random stream of their own.
	faults := &generator{rand.New(rand.NewPCG(seed, 2))}
	faults.strike(&c, kinds)
	return c
}

// takeTurns lets ranks take turns after some of the rounds that end with nothing. It has a random
// stream of its own.
func (c *Case) takeTurns(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 9))
	often := random.IntN(3)
	for i := range c.Rounds {
		if c.Rounds[i].End == Nothing && random.IntN(4) < often {
			c.Rounds[i].End = Turns
		}
	}
}

type generator struct{ *rand.Rand }

// between returns a number from lo to hi with a uniformly distributed logarithm.
func (g *generator) between(lo, hi float64) float64 { return lo * math.Pow(hi/lo, g.Float64()) }

func (g *generator) size() int { return int(g.between(8, 5000)) }

func (g *generator) round(c *Case) Round {
	round := Round{Ranks: make([][]Tenure, c.Nodes), End: []Call{Nothing, Update, Update, Barrier}[g.IntN(4)]}
	for r := range round.Ranks {
		for range g.IntN(4) {
			round.Ranks[r] = append(round.Ranks[r], g.tenure(c))
		}
	}
	return round
}

func (g *generator) tenure(c *Case) Tenure {
	var t Tenure
	for v, size := range c.Variables {
		if g.IntN(3) == 0 {
			t.Look = append(t.Look, v)
		}
		if g.IntN(2) == 0 {
			continue
		}
		w := Want{Variable: v, Exclusive: g.IntN(2) == 0}
		if w.Exclusive {
			w.Declared = g.IntN(3) == 0
			for range g.IntN(4) {
				from := g.IntN(size)
				w.Writes = append(w.Writes, Write{from, from + 1 + g.IntN(size-from), g.Uint32()})
			}
		}
		t.Wants = append(t.Wants, w)
	}
	if g.IntN(2) == 0 {
		t.Compute = fagus.Time(g.between(float64(fagus.Microsecond), float64(fagus.Millisecond)))
	}
	return t
}

// strike adds faults of the given kinds to a case. It draws random numbers for all kinds, so that
// each fault is the same whatever other kinds are given.
func (g *generator) strike(c *Case, kinds []Kind) {
	unit := fagus.Microsecond // the shortest time in which a fault takes effect
	if c.UDP != nil {
		unit = 50 * fagus.Microsecond
	}
	for _, kind := range Kinds() {
		own := &generator{rand.New(rand.NewPCG(g.Uint64(), 3))}
		one := own.IntN(3) == 0 || len(kinds) == 1
		if kind == Crash { // less often, because contents are not checked after a crash
			one = own.IntN(8) == 0 || len(kinds) == 1
		}
		if one && slices.Contains(kinds, kind) {
			own.add(c, kind, unit)
		}
	}
}

// add adds one or several faults of a kind to the case.
func (g *generator) add(c *Case, kind Kind, unit fagus.Time) {
	at := func() fagus.Time { return fagus.Time(g.between(1, 20_000)) * unit }
	switch kind {
	case Delay:
		c.MaxDelay = fagus.Time(g.between(1, 1000)) * fagus.Microsecond
	case Crash:
		c.Faults = append(c.Faults, sim.Fault{Kind: sim.Crash, At: at(), Rank: dimmnet.Rank(g.IntN(c.Nodes))})
	case Pause:
		g.pauses(c, unit)
	case Partition:
		for range 1 + g.IntN(5) {
			f := sim.Fault{Kind: sim.Partition, At: at(), For: fagus.Time(g.between(1, 2000)) * unit}
			order := g.Perm(c.Nodes)
			cut := 1 + g.IntN(c.Nodes-1)
			for i, r := range order {
				if i < cut {
					f.A = append(f.A, dimmnet.Rank(r))
				} else {
					f.B = append(f.B, dimmnet.Rank(r))
				}
			}
			c.Faults = append(c.Faults, f)
		}
	}
	if c.UDP == nil {
		return
	}
	switch kind {
	case Corrupt:
		c.Faults = append(c.Faults, sim.Fault{Kind: sim.Corrupt, At: at(), For: 100 * at(), Probability: g.between(0.005, 0.05)})
	case Loss:
		c.UDP.Loss = g.between(0.005, 0.1)
	case Duplicate:
		c.UDP.Duplicate = g.between(0.005, 0.2)
	case Reorder:
		c.UDP.Reorder = g.between(0.005, 0.3)
	}
}

// pauses adds pauses of some ranks, possibly at the same time. Pauses of one rank do not overlap.
func (g *generator) pauses(c *Case, unit fagus.Time) {
	free := make([]fagus.Time, c.Nodes) // indexed by rank: the end of the rank's last pause
	for range 1 + g.IntN(8) {
		r := g.IntN(c.Nodes)
		f := sim.Fault{Kind: sim.Pause, Rank: dimmnet.Rank(r), For: fagus.Time(g.between(1, 2000)) * unit}
		f.At = free[r] + fagus.Time(g.between(1, 20_000))*unit
		free[r] = f.End()
		c.Faults = append(c.Faults, f)
	}
}
