package barnes

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// moved is a body at the next step.
type moved struct {
	at   vec
	work int64
}

// cluster is the program's data: those of all ranks, and this rank's.
type cluster struct {
	*system
	node   *fagus.Node
	boxes  *fagus.Array[moved] // room for the bodies of each rank, in order
	room   int
	guards []*fagus.SyncVar // of each box
	all    *fagus.SyncSet   // of them, to read
	bounds []int            // of the ranks' zones
}

// Run computes Steps steps. Every rank calls it with the same Config.
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

// declare makes the array, binds the variables and puts them into a set. A box has room for four times as many bodies as
// each rank has in the mean: where there is no body memory is not touched.
func (c *cluster) declare() (err error) {
	n := c.node
	c.room = min(c.Bodies, 4*((c.Bodies+n.Nodes()-1)/n.Nodes()))
	if c.boxes, err = fagus.NewArray[moved](n, "moved", c.room*n.Nodes()); err != nil {
		return err
	}
	var wants []fagus.Request
	for r := range n.Nodes() {
		v, err := n.Bind(fmt.Sprintf("moved.%d", r), c.boxes.Range(r*c.room, (r+1)*c.room))
		if err != nil {
			return err
		}
		c.guards = append(c.guards, v)
		wants = append(wants, fagus.Want(v, fagus.Shared))
	}
	c.all = n.Set(wants...)
	return nil
}

// box is where rank r puts its bodies, as this rank has it.
func (c *cluster) box(r int) []moved {
	return c.boxes.Slice()[r*c.room:][:c.bounds[r+1]-c.bounds[r]]
}

// advance computes a step, and returns how many interactions it took all ranks.
func (c *cluster) advance() (count int64, err error) {
	n := c.node
	if c.bounds != nil {
		c.turn()
	}
	c.arrange()
	n.Spend(fagus.Time(c.Bodies) * bodyTime)
	c.bounds = zones(c.work, n.Nodes(), c.room)
	if err := n.Barrier(); err != nil { // all have read what moved before
		return 0, err
	}
	if err := n.During(c.mine(), c.fill); err != nil {
		return 0, err
	}
	if err := n.Barrier(); err != nil { // all have moved
		return 0, err
	}
	err = n.During(c.all, func() error {
		for r := range n.Nodes() {
			for k, m := range c.box(r) {
				i := c.bounds[r] + k
				c.next[i], c.work[i] = m.at, m.work
				count += m.work
			}
		}
		return nil
	})
	if c.Progress != nil && n.Rank() == 0 && err == nil {
		c.Progress(1)
	}
	return count, err
}

// mine asks for this rank's box, to fill it as far as it has bodies.
func (c *cluster) mine() *fagus.SyncSet {
	r := c.node.Rank()
	bodies := len(c.box(r))
	if bodies == 0 {
		return c.node.Set()
	}
	return c.node.Set(fagus.Want(c.guards[r], fagus.Exclusive).Writing(c.boxes.Range(r*c.room, r*c.room+bodies)))
}

// What a Pentium III at 950 MHz takes, about: for an interaction a root of 57 cycles, two divisions of 32, and some 20 other
// operations; for a body to be sorted and put into the tree some 2000 cycles.
const (
	interactionTime       = 150 * fagus.Nanosecond
	bodyTime              = 2 * fagus.Microsecond
	interactionOperations = 19
)

// fill moves the bodies of this rank's zone.
func (c *cluster) fill() error {
	r := c.node.Rank()
	for k := range c.box(r) {
		if k%64 == 0 {
			if err := c.node.Err(); err != nil {
				return err
			}
		}
		at, work := c.move(c.bounds[r] + k)
		c.box(r)[k] = moved{at, work}
		c.node.Spend(fagus.Time(work) * interactionTime)
	}
	return nil
}
