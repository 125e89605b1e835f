package ft

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// solver is what a rank has.
type solver struct {
	*problem
	node     *fagus.Node
	cfg      npb.Config
	u        *cube
	spectrum []complex128 // of this rank's rows: [y][z][x]
	factors  [3][]float64 // by x, y and z: what an iteration multiplies waves by
	plane    [2][]complex128
	exact    [2 * iterations]parts.Exact // the checksums: real and imaginary part of each
}

// Run runs the benchmark. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg npb.Config) (verify.Result, error) {
	p := problemOf(cfg.Class)
	u, err := newCube(n, p)
	if err != nil {
		return verify.Result{}, err
	}
	sums, err := parts.NewExactSums(n, "checksums", 2*iterations)
	if err != nil {
		return verify.Result{}, err
	}
	s := &solver{problem: p, node: n, cfg: cfg, u: u}
	s.prepare()
	r := verify.Result{Operations: float64(p.points()) * (p.first() + iterations*p.each())}
	r.Time, err = parts.Timed(n, func() error {
		if err := s.forward(); err != nil {
			return err
		}
		for i := range iterations {
			if err := s.iterate(i); err != nil {
				return err
			}
		}
		return sums.Add(s.exact[:])
	})
	if err == nil && n.Rank() == 0 {
		s.report(&r)
	}
	return r, err
}

func (s *solver) prepare() {
	lo, hi := s.rows()
	s.spectrum = make([]complex128, (hi-lo)*s.nz*s.nx)
	s.factors = [3][]float64{decay(s.nx), decay(s.ny), decay(s.nz)}
	for i := range s.plane {
		s.plane[i] = make([]complex128, s.nx*s.ny)
	}
	if s.cfg.Spoil && s.node.Rank() == s.node.Nodes()-1 {
		s.factors[1][s.ny-1] *= 2
	}
}

// rows and planes are those of this rank.
func (s *solver) rows() (lo, hi int)   { return parts.Block(s.ny, s.node.Nodes(), s.node.Rank()) }
func (s *solver) planes() (lo, hi int) { return parts.Block(s.nz, s.node.Nodes(), s.node.Rank()) }

// during holds a set while f is called for each of lo to hi, planes or rows of so many points, which
// cost some operations each. Then it meets the others: what one writes they read next, and
// what one reads they write next.
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
	return s.node.Barrier()
}

// forward makes the start values, and of them the spectrum.
func (s *solver) forward() error {
	alongX, alongY, alongZ := newFFT(s.nx, 1), newFFT(s.ny, 1), newFFT(s.nz, 1)
	work := alongY.work()
	scratch := make([]complex128, s.nx)
	lo, hi := s.planes()
	err := s.during(s.u.planes(fagus.Exclusive), lo, hi, s.nx*s.ny, s.first()*2/3, func(z int) {
		random := npb.Random(seed).Skip(uint64(2 * z * s.nx * s.ny))
		for i := range s.plane[0] {
			re := random.Next()
			s.plane[0][i] = complex(re, random.Next())
		}
		for y := range s.ny {
			alongX.lines(s.row(1, y), s.row(0, y), scratch, 1)
		}
		alongY.columns(func(y int) []complex128 { return s.u.row(z, y) }, func(y int) []complex128 { return s.row(1, y) }, s.nx, work)
		s.cfg.Advance(1)
	})
	if err != nil {
		return err
	}
	work = alongZ.work()
	lo, hi = s.rows()
	return s.during(s.u.lines(fagus.Shared), lo, hi, s.nx*s.nz, s.first()/3, func(y int) {
		alongZ.columns(func(z int) []complex128 { return s.waves(y, z) }, func(z int) []complex128 { return s.u.row(z, y) }, s.nx, work)
	})
}

// row is row y of one of the rank's two own planes.
func (s *solver) row(plane, y int) []complex128 { return s.plane[plane][y*s.nx:][:s.nx:s.nx] }

// waves is a row of the spectrum.
func (s *solver) waves(y, z int) []complex128 {
	lo, _ := s.rows()
	return s.spectrum[((y-lo)*s.nz+z)*s.nx:][:s.nx:s.nx]
}

// iterate evolves the spectrum, transforms it back, and takes the checksum of the iteration.
func (s *solver) iterate(i int) error {
	alongX, alongY, alongZ := newFFT(s.nx, -1), newFFT(s.ny, -1), newFFT(s.nz, -1)
	work := alongZ.work()
	lo, hi := s.rows()
	err := s.during(s.u.lines(fagus.Exclusive), lo, hi, s.nx*s.nz, s.each()/3, func(y int) {
		for z := range s.nz {
			evolve(s.waves(y, z), s.factors[0], s.factors[1][y]*s.factors[2][z])
		}
		alongZ.columns(func(z int) []complex128 { return s.u.row(z, y) }, func(z int) []complex128 { return s.waves(y, z) }, s.nx, work)
	})
	if err != nil {
		return err
	}
	work = alongY.work()
	scratch := make([]complex128, s.nx)
	lo, hi = s.planes()
	return s.during(s.u.planes(fagus.Shared), lo, hi, s.nx*s.ny, s.each()*2/3, func(z int) {
		for y := range s.ny {
			alongX.lines(s.row(0, y), s.u.row(z, y), scratch, 1)
		}
		own := func(y int) []complex128 { return s.row(0, y) }
		alongY.columns(own, own, s.nx, work)
		s.sample(z, s.exact[2*i:][:2])
		s.cfg.Advance(1)
	})
}

func evolve(waves []complex128, factors []float64, factor float64) {
	factors = factors[:len(waves)]
	for x, w := range waves {
		f := factors[x] * factor
		waves[x] = complex(real(w)*f, imag(w)*f)
	}
}

// sample adds those of the points that a checksum is made of that are in plane z.
func (s *solver) sample(z int, sum []parts.Exact) {
	for j := 1; j <= samples; j++ {
		if 5*j%s.nz == z {
			point := s.row(0, 3*j%s.ny)[j%s.nx]
			sum[0].Add(real(point))
			sum[1].Add(imag(point))
		}
	}
}

func (s *solver) report(r *verify.Result) {
	for i, want := range s.sums {
		points := float64(s.points())
		re, im := s.exact[2*i].Float64()/points, s.exact[2*i+1].Float64()/points
		r.Lines = append(r.Lines, fmt.Sprintf("iteration %d: checksum %.10f %+.10fi", i+1, re, im))
		r.Checks = append(r.Checks,
			verify.Check{Name: fmt.Sprintf("real part %d", i+1), Got: re, Want: real(want), Tolerance: tolerance},
			verify.Check{Name: fmt.Sprintf("imaginary part %d", i+1), Got: im, Want: imag(want), Tolerance: tolerance})
	}
}
