package kmeans

import (
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

type search struct {
	lloyd
	node    *fagus.Node
	points  *parts.Blocks[float64]  // batches of points; the last batch is padded with zeros
	centres *parts.Vectors[float64] // initial ones, gathered at the beginning
	chosen  *parts.Vectors[int32]   // by point: its centre, gathered at the end
	sums    *parts.ExactSums
}

// Run finds the clusters. Every rank calls it with the same Config. The operations of the result
// are the additions and multiplications for the distances.
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
	lo, _ := s.mine()
	fagus.Keep(n, "labels", &s.labels, lo, s.Points)
	fagus.KeepCopy(n, "to", &s.to, &s.from)
	n.Resume(&s.inertia, &s.settled)
	s.begun = len(s.inertia)
	took, err := parts.Timed(n, s.iterate)
	if err != nil {
		return verify.Result{}, err
	}
	s.PlantLast(n, s.batches(), func() { s.spoil(s.labels) })
	var chosen []int32
	var keep func([][]int32)
	if n.Rank() == 0 {
		keep = func(labels [][]int32) { chosen = slices.Concat(labels...) }
	}
	if err := s.chosen.Gather(s.labels, keep); err != nil || n.Rank() != 0 {
		return verify.Result{Time: took}, err
	}
	return s.verify(took, chosen)
}

func (s *search) declare() (err error) {
	if s.points, err = parts.NewBlocks[float64](s.node, "points", s.batches(), batchPoints*s.Dimensions); err != nil {
		return err
	}
	if s.centres, err = parts.NewVectors[float64](s.node, "centres", len(s.to)); err != nil {
		return err
	}
	_, most := parts.Block(s.batches(), s.node.Nodes(), 0)
	if s.chosen, err = parts.NewVectors[int32](s.node, "chosen", most*batchPoints); err != nil {
		return err
	}
	s.sums, err = parts.NewExactSums(s.node, "sums", s.numbers())
	return err
}

func (s *search) batches() int { return (s.Points + batchPoints - 1) / batchPoints }

func (s *search) mine() (lo, hi int) {
	lo, hi = s.points.Items(s.node.Rank())
	return min(lo*batchPoints, s.Points), min(hi*batchPoints, s.Points)
}

// begin writes this rank's points and finds the initial centres.
func (s *search) begin() error {
	lo, hi := s.mine()
	var first []float64
	s.labels = noLabels(hi - lo)
	s.node.Set(s.points.WantMine(fagus.Exclusive)...).Do(func() {
		s.fill(s.points.Mine(), lo, hi)
		first = s.first(s.points.Mine(), lo, hi)
	})
	return s.centres.Gather(first, func(from [][]float64) { s.to = slices.Concat(from...) })
}

// iterate moves the centres until no point changes its centre, or Iterations times.
func (s *search) iterate() error {
	set := s.node.Set(s.points.WantMine(fagus.Shared)...)
	for !s.done() && s.node.Err() == nil {
		all := make([]parts.Exact, s.numbers())
		set.Do(func() { s.assign(all) })
		if err := s.sums.Add(all); err != nil {
			return err
		}
		s.step(all)
		s.AdvanceTogether(s.node, 1)
		s.node.Checkpoint()
	}
	return s.node.Err()
}

func (s *search) assign(all []parts.Exact) {
	sums := make([]float64, len(all))
	lo, hi := s.mine()
	for at := lo; at < hi && s.node.Err() == nil; at += batchPoints {
		end := min(at+batchPoints, hi)
		s.assignBatch(s.points.Slice()[at*s.Dimensions:end*s.Dimensions], s.labels[at-lo:end-lo], sums, all)
		s.node.Spend(fagus.Time(s.operations(end-at)) * npb.OperationTime)
	}
}
