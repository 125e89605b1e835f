package kmeans

import (
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// search is the program's data: those of all ranks, and this rank's.
type search struct {
	lloyd
	node   *fagus.Node
	points *parts.Blocks[float64] // batches of points, the last one filled up with zeros
	chosen *parts.Blocks[int32]   // by point: its centre, in the end
	sums   *parts.ExactSums
}

// Run finds the clusters. Every rank calls it with the same Config. Operations are the additions and
// multiplications of the distances.
func Run(n *fagus.Node, cfg Config) (verify.Result, error) {
	if err := cfg.Validate(); err != nil {
		return verify.Result{}, err
	}
	s := search{lloyd: newLloyd(cfg), node: n}
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
	if n.Rank() != 0 {
		return verify.Result{Time: took}, nil
	}
	return s.verify(took)
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

// mine are this rank's points, lo up to but not including hi.
func (s *search) mine() (lo, hi int) {
	lo, hi = s.points.Items(s.node.Rank())
	return min(lo*batchPoints, s.Points), min(hi*batchPoints, s.Points)
}

// begin writes this rank's points, and finds the first centres, which are means of one point each: who has
// it tells the others.
func (s *search) begin() error {
	lo, hi := s.mine()
	all := make([]parts.Exact, s.numbers())
	s.labels = noLabels(hi - lo)
	if err := s.node.During(s.node.Set(s.points.WantMine(fagus.Exclusive)...), func() error {
		s.fill(s.points.Mine(), lo, hi)
		s.first(s.points.Mine(), lo, hi, all)
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
	for !s.done() {
		all := make([]parts.Exact, s.numbers())
		if err := s.node.During(set, func() error { return s.assign(all) }); err != nil {
			return err
		}
		if err := s.sums.Add(all); err != nil {
			return err
		}
		s.step(all)
		if s.Progress != nil && s.node.Rank() == 0 {
			s.Progress(1)
		}
	}
	return nil
}

// assign finds the nearest centre of this rank's points, and adds its part of the numbers.
func (s *search) assign(all []parts.Exact) error {
	sums := make([]float64, len(all))
	lo, hi := s.mine()
	for at := lo; at < hi; at += batchPoints {
		if err := s.node.Err(); err != nil {
			return err
		}
		end := min(at+batchPoints, hi)
		s.assignBatch(s.points.Slice()[at*s.Dimensions:end*s.Dimensions], s.labels[at-lo:end-lo], sums, all)
		s.node.Spend(fagus.Time(s.operations(end-at)) * npb.OperationTime)
	}
	return nil
}

// handIn writes the choices where rank 0 finds them.
func (s *search) handIn() error {
	if err := s.node.During(s.node.Set(s.chosen.WantMine(fagus.Exclusive)...), func() error {
		lo, hi := s.mine()
		copy(s.chosen.Mine(), s.labels)
		if s.Spoil && lo < hi && hi == s.Points {
			s.spoil(s.chosen.Slice()[lo:hi])
		}
		return nil
	}); err != nil {
		return err
	}
	return s.node.Barrier()
}
