package ft

import (
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

type solver struct {
	*kernel
	node     *fagus.Node
	cfg      npb.Config
	u        *cube
	spectrum []complex128  // the waves of this rank's rows: [y][z][x]
	exact    []parts.Exact // by iteration: real and imaginary part of the checksum
}

// Run runs the benchmark. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	p := problemOf(cfg.Class)
	u, err := newCube(n, p)
	if err != nil {
		return verify.Result{}, err
	}
	sums, err := parts.NewExactSums(n, "checksums", 2*p.iterations())
	if err != nil {
		return verify.Result{}, err
	}
	s := &solver{kernel: newKernel(p), node: n, cfg: cfg, u: u, exact: make([]parts.Exact, 2*p.iterations())}
	lo, hi := s.rows()
	s.spectrum = make([]complex128, (hi-lo)*p.nz*p.nx)
	if err := s.touch(); err != nil {
		return verify.Result{}, err
	}
	cfg.PlantLast(n, p.ny, s.spoil)
	parts.KeepBlock(n, "spectrum", &s.spectrum, p.ny, p.nz*p.nx)
	parts.KeepExact(n, "exact", s.exact)
	n.Resume()
	r := verify.Result{Operations: p.operations(n.Begun())}
	r.Time, err = parts.Timed(n, func() error {
		for i := range n.Steps(p.iterations()) {
			if i == 0 {
				s.forward() // if it fails, the next call returns the error, too
			}
			if err := s.iterate(i); err != nil {
				return err
			}
		}
		return sums.Add(s.exact)
	})
	if err == nil && n.Rank() == 0 {
		p.report(&r, s.exact)
	}
	return r, err
}

func (s *solver) rows() (lo, hi int)   { return parts.Block(s.ny, s.node.Nodes(), s.node.Rank()) }
func (s *solver) planes() (lo, hi int) { return parts.Block(s.nz, s.node.Nodes(), s.node.Rank()) }

// during holds a set of variables and calls f for each of the planes or rows lo to hi-1. Each
// plane or row has the given number of points; operations is the cost per point. A Fence
// follows: next, each rank reads data that other ranks wrote, and overwrites data that they read.
func (s *solver) during(set *fagus.SyncSet, lo, hi, points int, operations float64, f func(i int)) error {
	if err := s.node.During(set, func() error {
		for i := lo; i < hi; i++ {
			if err := s.node.Err(); err != nil {
				return err
			}
			f(i)
			s.node.Spend(fagus.Time(float64(points) * operations * float64(npb.OperationTime)))
		}
		return nil
	}); err != nil {
		return err
	}
	return s.node.Fence()
}

// touch writes this rank's planes and waves once before the clock starts.
func (s *solver) touch() error {
	clear(s.spectrum)
	lo, hi := s.planes()
	return s.during(s.u.planes(fagus.Exclusive), lo, hi, 0, 0, func(z int) {
		for y := range s.ny {
			clear(s.u.row(z, y))
		}
	})
}

// forward computes the start values, and from them the spectrum.
func (s *solver) forward() error {
	lo, hi := s.planes()
	err := s.during(s.u.planes(fagus.Exclusive), lo, hi, s.nx*s.ny, s.first()*2/3, func(z int) {
		s.begin(z, func(y int) []complex128 { return s.u.row(z, y) })
		s.cfg.Advance(1)
	})
	if err != nil {
		return err
	}
	lo, hi = s.rows()
	return s.during(s.u.lines(fagus.Shared), lo, hi, s.nx*s.nz, s.first()/3, func(y int) {
		s.analyse(s.waves(y), func(z int) []complex128 { return s.u.row(z, y) })
	})
}

func (s *solver) waves(y int) []complex128 {
	lo, _ := s.rows()
	return s.spectrum[(y-lo)*s.nz*s.nx:][:s.nz*s.nx]
}

func (s *solver) iterate(i int) error {
	lo, hi := s.rows()
	err := s.during(s.u.lines(fagus.Exclusive), lo, hi, s.nx*s.nz, s.each()/3, func(y int) {
		s.evolve(y, s.waves(y), func(z int) []complex128 { return s.u.row(z, y) })
	})
	if err != nil {
		return err
	}
	lo, hi = s.planes()
	return s.during(s.u.planes(fagus.Shared), lo, hi, s.nx*s.ny, s.each()*2/3, func(z int) {
		s.finish(z, func(y int) []complex128 { return s.u.row(z, y) }, s.exact[2*i:][:2])
		s.cfg.Advance(1)
	})
}
