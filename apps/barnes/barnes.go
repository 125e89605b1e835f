package barnes

import (
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
	bodies   *parts.Vectors[moved] // of the zones
	capacity int                   // number of bodies that a zone may have
	bounds   []int                 // rank r has the zone of bodies bounds[r] to bounds[r+1]-1
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

// declare makes room for zones of four times the mean number of bodies per rank; memory without
// bodies is never touched.
func (c *cluster) declare() (err error) {
	n := c.node
	c.capacity = min(c.Bodies, 4*((c.Bodies+n.Nodes()-1)/n.Nodes()))
	c.bodies, err = parts.NewVectors[moved](n, "moved", c.capacity)
	return err
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
	zone, err := c.moveZone()
	if err != nil {
		return 0, err
	}
	err = c.bodies.Gather(zone, func(zones [][]moved) {
		i := 0
		for _, zone := range zones {
			for _, m := range zone {
				c.next[i], c.work[i] = m.at, m.work
				count += m.work
				i++
			}
		}
	})
	if err == nil {
		c.AdvanceTogether(n, 1)
	}
	return count, err
}

// Approximate costs on a Pentium III at 950 MHz. An interaction takes a square root of 57 cycles,
// two divisions of 32, and about 20 other operations. To sort a body and insert it into the tree
// takes about 2000 cycles.
const (
	interactionTime       = 150 * fagus.Nanosecond
	bodyTime              = 2 * fagus.Microsecond
	interactionOperations = 19
)

// moveZone moves the bodies of this rank's zone.
func (c *cluster) moveZone() (zone []moved, err error) {
	r := c.node.Rank()
	for i := c.bounds[r]; i < c.bounds[r+1]; i++ {
		if len(zone)%64 == 0 {
			if err := c.node.Err(); err != nil {
				return nil, err
			}
		}
		at, work := c.move(i)
		zone = append(zone, moved{at, work})
		c.node.Spend(fagus.Time(work) * interactionTime)
	}
	return zone, nil
}
