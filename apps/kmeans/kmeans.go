package kmeans

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// batchPoints is how many points are added up before what they sum to is added exactly.
const batchPoints = 256

// search is the program's data: those of all ranks, and this rank's.
type search struct {
	Config
	node   *fagus.Node
	points *parts.Blocks[float64] // batches of points, the last one filled up with zeros
	chosen *parts.Blocks[int32]   // by point: its centre, in the end
	sums   *parts.ExactSums

	labels   []int32   // of this rank's points
	from, to []float64 // the centres of the last iteration, before and after it
	inertia  []float64 // of every iteration, from its first centres
	settled  bool
}

// Run finds the clusters. Every rank calls it with the same Config. Operations are the additions and
// multiplications of the distances.
func Run(n *fagus.Node, cfg Config) (verify.Result, error) {
	if err := cfg.Validate(); err != nil {
		return verify.Result{}, err
	}
	s := search{Config: cfg, node: n}
	if err := s.declare(); err != nil {
		return verify.Result{}, err
	}
	if err := s.begin(); err != nil {
		return verify.Result{}, err
	}
	took, err := parts.Timed(n, s.iterate)
	if err != nil {
		return verify.Result{}, err
	}
	if err := s.handIn(); err != nil {
		return verify.Result{}, err
	}
	r := verify.Result{Time: took, Operations: float64(len(s.inertia)) * s.operations(s.Points)}
	if n.Rank() == 0 {
		r.Lines = s.lines()
		r.Checks, err = s.verify()
	}
	return r, err
}

// declare makes the arrays and binds the variables, the same at every rank.
func (s *search) declare() (err error) {
	batches := (s.Points + batchPoints - 1) / batchPoints
	if s.points, err = parts.NewBlocks[float64](s.node, "points", batches, batchPoints*s.Dimensions); err != nil {
		return err
	}
	if s.chosen, err = parts.NewBlocks[int32](s.node, "chosen", batches, batchPoints); err != nil {
		return err
	}
	s.sums, err = parts.NewExactSums(s.node, "sums", s.numbers())
	return err
}

// numbers is how many are added up: for each centre the sum of its points and their number, and in the end
// the inertia and how many points have changed.
func (s *search) numbers() int { return s.Clusters*(s.Dimensions+1) + 2 }

// mine are this rank's points, lo up to but not including hi.
func (s *search) mine() (lo, hi int) {
	lo, hi = s.points.Items(s.node.Rank())
	return min(lo*batchPoints, s.Points), min(hi*batchPoints, s.Points)
}

// begin writes this rank's points, and finds the first centres, which are means of one point each: who has
// it tells the others.
func (s *search) begin() error {
	lo, hi := s.mine()
	d, all := s.Dimensions, make([]parts.Exact, s.numbers())
	s.labels = slices.Repeat([]int32{-1}, hi-lo)
	s.to = make([]float64, s.Clusters*d)
	s.from = make([]float64, len(s.to))
	if err := s.node.During(s.node.Set(s.points.WantMine(fagus.Exclusive)...), func() error {
		points := s.points.Slice()
		for i := lo; i < hi; i += batchPoints {
			s.batch(i/batchPoints, points[i*d:min(i+batchPoints, hi)*d])
		}
		for c := range s.Clusters {
			if i := c * s.Points / s.Clusters; i >= lo && i < hi {
				for j, x := range points[i*d:][:d] {
					all[c*(d+1)+j].Add(x)
				}
				all[c*(d+1)+d].Add(1)
			}
		}
		return s.node.Err()
	}); err != nil {
		return err
	}
	if err := s.sums.Add(all); err != nil {
		return err
	}
	s.move(all)
	return nil
}

// iterate moves the centres until no point changes, or often enough.
func (s *search) iterate() error {
	set := s.node.Set(s.points.WantMine(fagus.Shared)...)
	for range s.Iterations {
		copy(s.from, s.to) // a centre without points stays
		var all []parts.Exact
		if err := s.node.During(set, func() (err error) {
			all, err = s.assign()
			return err
		}); err != nil {
			return err
		}
		if err := s.sums.Add(all); err != nil {
			return err
		}
		s.move(all)
		rest := all[len(all)-2:]
		s.inertia, s.settled = append(s.inertia, rest[0].Float64()), rest[1].Float64() == 0
		if s.Progress != nil && s.node.Rank() == 0 {
			s.Progress(1)
		}
		if s.settled {
			break
		}
	}
	return nil
}

// move puts every centre where the mean of its points is.
func (s *search) move(all []parts.Exact) {
	d := s.Dimensions
	for c := range s.Clusters {
		sums := all[c*(d+1):][:d+1]
		if count := sums[d].Float64(); count > 0 {
			for j := range d {
				s.to[c*d+j] = sums[j].Float64() / count
			}
		}
	}
}

// assign finds the nearest centre of this rank's points, and returns its part of the numbers.
func (s *search) assign() ([]parts.Exact, error) {
	all := make([]parts.Exact, s.numbers())
	sums := make([]float64, len(all))
	lo, hi := s.mine()
	for at := lo; at < hi; at += batchPoints {
		if err := s.node.Err(); err != nil {
			return nil, err
		}
		end := min(at+batchPoints, hi)
		clear(sums)
		s.assignBatch(s.points.Slice()[at*s.Dimensions:end*s.Dimensions], s.labels[at-lo:end-lo], sums)
		for i, x := range sums {
			if x != 0 {
				all[i].Add(x)
			}
		}
		s.node.Spend(fagus.Time(s.operations(end-at)) * npb.OperationTime)
	}
	return all, nil
}

// operations are those of the distances of so many points in an iteration.
func (s *search) operations(points int) float64 {
	return 3 * float64(points) * float64(s.Clusters) * float64(s.Dimensions)
}

func (s *search) assignBatch(points []float64, labels []int32, sums []float64) {
	d := s.Dimensions
	inertia, changed := 0.0, 0
	for i, old := range labels {
		p := points[i*d:][:d:d]
		best, least := nearest(p, s.from)
		inertia += least
		if int32(best) != old {
			labels[i] = int32(best)
			changed++
		}
		to := sums[best*(d+1):][:d+1]
		for j, x := range p {
			to[j] += x
		}
		to[d]++
	}
	rest := sums[len(sums)-2:]
	rest[0], rest[1] = inertia, float64(changed)
}

// nearest is the first of the centres that are nearest to p, and the square of its distance.
func nearest(p, centres []float64) (best int, least float64) {
	for c := 0; len(centres) >= len(p); c++ {
		centre, sum := centres[:len(p)], 0.0
		for j, x := range p {
			x -= centre[j]
			sum += x * x
		}
		if c == 0 || sum < least {
			best, least = c, sum
		}
		centres = centres[len(p):]
	}
	return best, least
}

// handIn writes the choices where rank 0 finds them.
func (s *search) handIn() error {
	if err := s.node.During(s.node.Set(s.chosen.WantMine(fagus.Exclusive)...), func() error {
		lo, hi := s.mine()
		copy(s.chosen.Mine(), s.labels)
		if s.Spoil && lo < hi && hi == s.Points {
			s.chosen.Slice()[hi-1] = (s.labels[hi-1-lo] + 1) % int32(s.Clusters)
		}
		return nil
	}); err != nil {
		return err
	}
	return s.node.Barrier()
}

func (s *search) lines() []string {
	end := "settled"
	if !s.settled {
		end = "not settled"
	}
	return []string{fmt.Sprintf("inertia %.10g at first, %.10g after %d iterations, %s", s.inertia[0], s.inertia[len(s.inertia)-1], len(s.inertia), end)}
}
