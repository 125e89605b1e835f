package water

import (
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

type droplets struct {
	Config
	node   *fagus.Node
	at     *parts.Blocks[molecule]
	forces *guarded

	read, own *fagus.SyncSet // the variables for computing forces, and for moving molecules
	add       []addition

	momenta []pushes // of this rank's molecules
	found   []pushes // forces that this rank has computed and not yet added to the shared ones
	numbers numbers
}

// addition is a tenure in which forces on the molecules lo to hi-1 are added.
type addition struct {
	lo, hi int
	set    *fagus.SyncSet
}

// Run simulates the steps. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (r verify.Result, err error) {
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	d := &droplets{Config: cfg, node: n, found: make([]pushes, cfg.Molecules), numbers: newNumbers(cfg)}
	if err := d.declare(); err != nil {
		return r, err
	}
	d.begin()
	parts.KeepBlock(n, "momenta", &d.momenta, cfg.Molecules, 1)
	parts.KeepSums(n, "numbers", d.numbers)
	n.Resume()
	r.Operations = cfg.operations() * verify.Left(n, d.Steps+1)
	if r.Time, err = parts.Timed(n, d.steps); err != nil {
		return r, err
	}
	sums, err := parts.NewSums[int64](n, "numbers", len(d.numbers))
	if err != nil {
		return r, err
	}
	if err := sums.Add(d.numbers); err != nil || n.Rank() != 0 {
		return r, err
	}
	return r, n.Set(d.at.WantAll(fagus.Shared)...).Do(func() {
		r.Lines, r.Checks = d.numbers.lines(d.at.Slice()), d.numbers.checks(d.at.Slice())
	})
}

func (d *droplets) declare() (err error) {
	n := d.node
	if d.at, err = parts.NewBlocks[molecule](n, "positions", d.Molecules, 1); err != nil {
		return err
	}
	if d.forces, err = guard(n, d.Molecules, d.Bind); err != nil {
		return err
	}
	lo, hi := d.at.Items(n.Rank())
	d.own = n.Set(append(d.at.WantFill(), d.forces.want(lo, hi)...)...)
	var read []fagus.Request
	for k := range n.Nodes() {
		of := (n.Rank() + k) % n.Nodes() // so that ranks begin with different blocks
		from, to := d.at.Items(of)
		from, to = reached(d.Molecules, lo, hi, from, to)
		if from < to {
			read = append(read, d.at.Want(fagus.Shared, of)...)
			each := to - from
			if d.Bind == Lock {
				each = 1
			}
			for ; from < to; from += each {
				d.add = append(d.add, addition{from, from + each, n.Set(d.forces.want(from, from+each)...)})
			}
		}
	}
	d.read = n.Set(read...)
	return nil
}

// begin generates the whole droplet at every rank, which keeps its own molecules.
func (d *droplets) begin() {
	at, momenta := droplet(d.Config)
	lo, hi := d.at.Items(d.node.Rank())
	d.momenta = momenta[lo:hi]
	d.node.Set(d.at.WantFill()...).Do(func() { copy(d.at.Mine(), at[lo:hi]) })
}

func (d *droplets) steps() error {
	for step := range d.node.Steps(d.Steps + 1) {
		d.node.Fence() // all ranks have moved their molecules
		d.read.Do(func() { d.find(step) })
		for _, a := range d.add {
			a.set.Do(func() { d.contribute(a.lo, a.hi) })
		}
		d.node.Fence() // all forces are added, and all positions have been read
		d.own.Do(func() { d.move(step) })
		if step > 0 {
			d.AdvanceTogether(d.node, 1)
		}
	}
	return d.node.Err()
}

// pairTime is roughly what a pair of molecules costs on a Pentium III at 950 MHz: ten square
// roots and ten divisions, of about 60 and 35 cycles, and 160 other operations.
const pairTime = 1200 * fagus.Nanosecond

func (d *droplets) find(step int) {
	lo, hi := d.at.Items(d.node.Rank())
	for i := lo; i < hi && d.node.Err() == nil; i++ {
		*d.numbers.potential(step) += act(d.at.Slice(), i, d.found)
		d.node.Spend(fagus.Time(following(d.Molecules, i)) * pairTime)
	}
	if step == d.Steps {
		d.PlantLast(d.node, d.Molecules, func() { d.found[hi-1][1].x++ })
	}
}

// contribute adds this rank's forces on the molecules lo to hi-1 to the shared ones.
func (d *droplets) contribute(lo, hi int) {
	all := d.forces.Slice()[lo:hi]
	for i := range all {
		for j, f := range &d.found[lo+i] {
			to := &all[i][j]
			to.x, to.y, to.z = to.x+f.x, to.y+f.y, to.z+f.z
		}
	}
	clear(d.found[lo:hi])
}

func (d *droplets) move(step int) {
	lo, hi := d.at.Items(d.node.Rank())
	forces := d.forces.Slice()[lo:hi]
	advance(d.numbers, step, d.at.Mine(), d.momenta, forces)
	clear(forces)
}
