package water

import (
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// droplets is the program's data: those of all ranks, and this rank's.
type droplets struct {
	Config
	node   *fagus.Node
	at     *parts.Blocks[molecule]
	forces *guarded

	read, own *fagus.SyncSet // what it takes to compute forces, and to move
	add       []addition

	momenta []pushes // of this rank's molecules
	found   []pushes // the forces that this rank has found, and nobody has yet
	numbers numbers
}

// addition is a tenure in which forces on molecules lo up to hi are added.
type addition struct {
	lo, hi int
	set    *fagus.SyncSet
}

// Run computes Steps steps. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (verify.Result, error) {
	if err := cfg.Validate(); err != nil {
		return verify.Result{}, err
	}
	d := &droplets{Config: cfg, node: n, found: make([]pushes, cfg.Molecules), numbers: newNumbers(cfg)}
	if err := d.declare(); err != nil {
		return verify.Result{}, err
	}
	if err := d.begin(); err != nil {
		return verify.Result{}, err
	}
	r := verify.Result{Operations: cfg.operations()}
	var err error
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
	err = n.During(n.Set(d.at.WantAll(fagus.Shared)...), func() error {
		r.Lines, r.Checks = d.numbers.lines(d.at.Slice()), d.numbers.checks(d.at.Slice())
		return nil
	})
	return r, err
}

// declare makes the arrays, binds the variables and puts them into sets.
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
		of := (n.Rank() + k) % n.Nodes() // so that ranks begin with different ones
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

// begin makes the droplet at every rank, which keeps its own molecules.
func (d *droplets) begin() error {
	at, momenta := droplet(d.Config)
	lo, hi := d.at.Items(d.node.Rank())
	d.momenta = momenta[lo:hi]
	return d.node.During(d.node.Set(d.at.WantFill()...), func() error {
		copy(d.at.Mine(), at[lo:hi])
		return nil
	})
}

func (d *droplets) steps() error {
	for step := range d.Steps + 1 {
		if err := d.node.Barrier(); err != nil { // all have moved
			return err
		}
		if err := d.find(step); err != nil {
			return err
		}
		for _, a := range d.add {
			if err := d.node.During(a.set, func() error { return d.give(a.lo, a.hi) }); err != nil {
				return err
			}
		}
		if err := d.node.Barrier(); err != nil { // all forces are there, and all positions have been read
			return err
		}
		if err := d.move(step); err != nil {
			return err
		}
		if step > 0 && d.Progress != nil && d.node.Rank() == 0 {
			d.Progress(1)
		}
	}
	return nil
}

// pairTime is about what a pair of molecules takes a Pentium III at 950 MHz: ten roots and as many
// divisions of some 60 and 35 cycles, and 160 other operations.
const pairTime = 1200 * fagus.Nanosecond

// find computes the forces that this rank has to.
func (d *droplets) find(step int) error {
	return d.node.During(d.read, func() error {
		lo, hi := d.at.Items(d.node.Rank())
		for i := lo; i < hi; i++ {
			if err := d.node.Err(); err != nil {
				return err
			}
			*d.numbers.potential(step) += act(d.at.Slice(), i, d.found)
			d.node.Spend(fagus.Time(following(d.Molecules, i)) * pairTime)
		}
		if d.Spoil && step == d.Steps && lo < hi && hi == d.Molecules {
			d.found[hi-1][1].x++
		}
		return nil
	})
}

// give adds what was found of the forces on molecules lo up to hi to those that others have found.
func (d *droplets) give(lo, hi int) error {
	all := d.forces.Slice()[lo:hi]
	for i := range all {
		for j, f := range &d.found[lo+i] {
			to := &all[i][j]
			to.x, to.y, to.z = to.x+f.x, to.y+f.y, to.z+f.z
		}
	}
	clear(d.found[lo:hi])
	return nil
}

// move lets the forces act on this rank's molecules, and takes them away.
func (d *droplets) move(step int) error {
	return d.node.During(d.own, func() error {
		lo, hi := d.at.Items(d.node.Rank())
		forces := d.forces.Slice()[lo:hi]
		advance(d.numbers, step, d.at.Mine(), d.momenta, forces)
		clear(forces)
		return nil
	})
}
