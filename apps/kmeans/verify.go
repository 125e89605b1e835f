package kmeans

import (
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// tolerance is for sums in another order, relative to the largest number.
const tolerance = 1e-9

// verify acquires all points and choices, and looks at each.
func (s *search) verify() (checks []verify.Check, err error) {
	wants := slices.Concat(s.points.WantAll(fagus.Shared), s.chosen.WantAll(fagus.Shared))
	err = s.node.During(s.node.Set(wants...), func() error {
		checks = s.checks(s.points.Slice()[:s.Points*s.Dimensions], s.chosen.Slice()[:s.Points])
		return nil
	})
	return checks, err
}

func (s *search) checks(points []float64, chosen []int32) []verify.Check {
	d := s.Dimensions
	sums, counts := make([]float64, len(s.to)), make([]float64, s.Clusters)
	wrong, inertia, largest := 0, 0.0, 1.0
	for i, c := range chosen {
		if c < 0 || int(c) >= s.Clusters {
			wrong++
			continue
		}
		p := points[i*d:][:d]
		own := distance(p, s.from[int(c)*d:][:d])
		for other := range s.Clusters {
			if distance(p, s.from[other*d:][:d]) < own {
				wrong++
				break
			}
		}
		inertia += own
		counts[c]++
		for j, x := range p {
			sums[int(c)*d+j] += x
			largest = max(largest, math.Abs(x))
		}
	}
	return []verify.Check{
		{Name: "points that are nearer to another centre", Got: float64(wrong)},
		{Name: "distance of a centre from the mean", Got: s.farthest(sums, counts) / largest, Tolerance: tolerance},
		{Name: "inertia", Got: s.inertia[len(s.inertia)-1], Want: inertia, Tolerance: tolerance},
		{Name: "iterations in which the inertia rose", Got: float64(rises(s.inertia))},
	}
}

func distance(p, q []float64) (sum float64) {
	for j := range p {
		sum += (p[j] - q[j]) * (p[j] - q[j])
	}
	return sum
}

// farthest is the largest difference between a coordinate of a centre and that of the mean of its
// points, or of the centre before if it has none.
func (s *search) farthest(sums, counts []float64) (most float64) {
	for i, sum := range sums {
		want := s.from[i]
		if count := counts[i/s.Dimensions]; count > 0 {
			want = sum / count
		}
		most = max(most, math.Abs(s.to[i]-want))
	}
	return most
}

func rises(inertia []float64) (count int) {
	for i := 1; i < len(inertia); i++ {
		if inertia[i] > inertia[i-1]*(1+tolerance) {
			count++
		}
	}
	return count
}
