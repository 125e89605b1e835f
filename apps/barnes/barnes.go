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
	node   *fagus.Node
	bodies *fagus.Array[moved] // in the order of the curve
	// zones[r] guards the bodies bounds[r] to bounds[r+1]-1, which rank r moves. If there are more
	// ranks than bodies, the last ranks have none.
	zones  []*fagus.SyncVar
	bounds []int
	all    *fagus.SyncSet // to read all zones
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
	fagus.KeepCopy(n, "at", &c.at, &c.next)
	parts.KeepSums(n, "numbers", c.numbers)
	n.Resume(&c.step, &c.bounds) // bounds exist now: advance begins with a turn
	var r verify.Result
	took, err := parts.Timed(n, func() error {
		for range n.Steps(c.Steps) {
			r.Operations += float64(c.advance()) * interactionOperations
		}
		return n.Err()
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

// declare binds zones of equal numbers of bodies. Every step binds them anew.
func (c *cluster) declare() (err error) {
	n := c.node
	if c.bodies, err = fagus.NewArray[moved](n, "moved", c.Bodies); err != nil {
		return err
	}
	c.bodies.Scratch() // a step moves all of them
	ranks := min(n.Nodes(), c.Bodies)
	var reads []fagus.Request
	for r := range ranks {
		lo, hi := parts.Block(c.Bodies, ranks, r)
		zone, err := n.Bind(fmt.Sprintf("zone %d", r), c.bodies.Range(lo, hi))
		if err != nil {
			return err
		}
		c.zones, reads = append(c.zones, zone), append(reads, zone.Read())
	}
	c.all = n.Set(reads...)
	return nil
}

// divide gives each rank a zone of about the same work.
func (c *cluster) divide() {
	c.bounds = zones(c.work, len(c.zones))
	var bindings []fagus.Binding
	for r, zone := range c.zones {
		bindings = append(bindings, zone.To(c.bodies.Range(c.bounds[r], c.bounds[r+1])))
	}
	c.node.Rebind(bindings...)
}

// advance computes a step, and returns the number of interactions of all ranks. If a call fails, so
// do all later ones.
func (c *cluster) advance() (count int64) {
	n := c.node
	if c.bounds != nil {
		c.turn()
	}
	c.arrange()
	n.Spend(fagus.Time(c.Bodies) * bodyTime)
	c.divide()
	c.own().Do(c.moveZone)
	n.Fence()
	c.all.Do(func() {
		for i, m := range c.bodies.Slice() {
			c.next[i], c.work[i] = m.at, m.work
			count += m.work
		}
	})
	c.AdvanceTogether(n, 1)
	return count
}

// own returns the set of this rank's zone, or an empty one if it has none.
func (c *cluster) own() *fagus.SyncSet {
	r := c.node.Rank()
	if r >= len(c.zones) {
		return c.node.Set()
	}
	return c.node.Set(c.zones[r].Write().Writing(c.bodies.Range(c.bounds[r], c.bounds[r+1])))
}

// Approximate costs on a Pentium III at 950 MHz. An interaction takes a square root of 57 cycles,
// two divisions of 32, and about 20 other operations. To sort a body and insert it into the tree
// takes about 2000 cycles.
const (
	interactionTime       = 150 * fagus.Nanosecond
	bodyTime              = 2 * fagus.Microsecond
	interactionOperations = 19
)

// moveZone moves the bodies of this rank's zone, if it has one.
func (c *cluster) moveZone() {
	r := c.node.Rank()
	if r >= len(c.zones) {
		return
	}
	for i := c.bounds[r]; i < c.bounds[r+1]; i++ {
		if i%64 == 0 && c.node.Err() != nil {
			return
		}
		at, work := c.move(i)
		c.bodies.Slice()[i] = moved{at, work}
		c.node.Spend(fagus.Time(work) * interactionTime)
	}
}
