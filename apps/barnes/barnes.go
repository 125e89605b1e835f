package barnes

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// moved is a body's next position, and its number of interactions in the current step.
type moved struct {
	at   vec
	work int64
}

type cluster struct {
	*system
	node     *fagus.Node
	bodies   *fagus.Array[moved] // one block of capacity bodies per rank
	capacity int
	guards   []*fagus.SyncVar // by rank: the variable of its block
	all      *fagus.SyncSet   // all guards, shared
	bounds   []int            // rank r has the zone of bodies bounds[r] to bounds[r+1]-1
}

// Run simulates the steps. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (verify.Result, error) {
	if err := cfg.Validate(); err != nil {
		return verify.Result{}, err
	}
	c := &cluster{system: newSystem(cfg), node: n}
	if err := c.declare(); err != nil {
		return verify.Result{}, err
	}
	var r verify.Result
	took, err := parts.Timed(n, func() error {
		for range c.Steps {
			count, err := c.advance()
			if err != nil {
				return err
			}
			r.Operations += float64(count) * interactionOperations
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	r.Time = took
	sums, err := parts.NewSums[int64](n, "numbers", len(c.numbers))
	if err != nil {
		return r, err
	}
	if err := sums.Add(c.numbers); err != nil || n.Rank() != 0 {
		return r, err
	}
	r.Lines, r.Checks = c.lines(), c.checks()
	return r, nil
}

// declare creates the array, binds its blocks, and creates the set of all guards. A block has
// room for four times the mean number of bodies per rank; memory without bodies is never touched.
func (c *cluster) declare() (err error) {
	n := c.node
	c.capacity = min(c.Bodies, 4*((c.Bodies+n.Nodes()-1)/n.Nodes()))
	if c.bodies, err = fagus.NewArray[moved](n, "moved", c.capacity*n.Nodes()); err != nil {
		return err
	}
	for r := range n.Nodes() {
		v, err := n.Bind(fmt.Sprintf("moved.%d", r), c.bodies.Range(r*c.capacity, (r+1)*c.capacity))
		if err != nil {
			return err
		}
		c.guards = append(c.guards, v)
	}
	c.all = verify.Everything(n, c.guards)
	return nil
}

func (c *cluster) block(r int) []moved {
	return c.bodies.Slice()[r*c.capacity:][:c.bounds[r+1]-c.bounds[r]]
}

// advance computes a step, and returns the number of interactions of all ranks.
func (c *cluster) advance() (count int64, err error) {
	n := c.node
	if c.bounds != nil {
		c.turn()
	}
	c.arrange()
	n.Spend(fagus.Time(c.Bodies) * bodyTime)
	c.bounds = zones(c.work, n.Nodes(), c.capacity)
	if err := n.Barrier(); err != nil { // all ranks have read the last positions
		return 0, err
	}
	if err := n.During(c.mine(), c.fill); err != nil {
		return 0, err
	}
	if err := n.Barrier(); err != nil { // all ranks have moved their bodies
		return 0, err
	}
	err = n.During(c.all, func() error {
		for r := range n.Nodes() {
			for k, m := range c.block(r) {
				i := c.bounds[r] + k
				c.next[i], c.work[i] = m.at, m.work
				count += m.work
			}
		}
		return nil
	})
	if err == nil {
		c.AdvanceTogether(n, 1)
	}
	return count, err
}

func (c *cluster) mine() *fagus.SyncSet {
	r := c.node.Rank()
	bodies := len(c.block(r))
	if bodies == 0 {
		return c.node.Set()
	}
	return c.node.Set(fagus.Want(c.guards[r], fagus.Exclusive).Writing(c.bodies.Range(r*c.capacity, r*c.capacity+bodies)))
}

// Approximate costs on a Pentium III at 950 MHz. An interaction takes a square root of 57 cycles,
// two divisions of 32, and about 20 other operations. To sort a body and insert it into the tree
// takes about 2000 cycles.
const (
	interactionTime       = 150 * fagus.Nanosecond
	bodyTime              = 2 * fagus.Microsecond
	interactionOperations = 19
)

func (c *cluster) fill() error {
	r := c.node.Rank()
	for k := range c.block(r) {
		if k%64 == 0 {
			if err := c.node.Err(); err != nil {
				return err
			}
		}
		at, work := c.move(c.bounds[r] + k)
		c.block(r)[k] = moved{at, work}
		c.node.Spend(fagus.Time(work) * interactionTime)
	}
	return nil
}
