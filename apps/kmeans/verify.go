package kmeans

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// tolerance allows for sums in another order, relative to the largest number.
const tolerance = 1e-9

// verify acquires all points, and checks their assignment.
func (s *search) verify(took fagus.Time, chosen []int32) (r verify.Result, err error) {
	err = s.node.Set(s.points.WantAll(fagus.Shared)...).Do(func() {
		r = s.result(took, s.points.Slice()[:s.Points*s.Dimensions], chosen)
	})
	return r, err
}

func (l *lloyd) result(took fagus.Time, points []float64, chosen []int32) verify.Result {
	return verify.Result{
		Time: took, Operations: float64(len(l.inertia)-l.begun) * l.operations(l.Points),
		Lines: l.lines(), Checks: l.checks(points, chosen),
	}
}

func (l *lloyd) checks(points []float64, chosen []int32) []verify.Check {
	d := l.Dimensions
	sums, counts := make([]float64, len(l.to)), make([]float64, l.Clusters)
	wrong, inertia, largest := 0, 0.0, 1.0
	for i, c := range chosen {
		if c < 0 || int(c) >= l.Clusters {
			wrong++
			continue
		}
		p := points[i*d:][:d]
		own := distance(p, l.from[int(c)*d:][:d])
		for other := range l.Clusters {
			if distance(p, l.from[other*d:][:d]) < own {
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
		{Name: "distance of a centre from the mean", Got: l.farthest(sums, counts) / largest, Tolerance: tolerance},
		{Name: "inertia", Got: l.inertia[len(l.inertia)-1], Want: inertia, Tolerance: tolerance},
		{Name: "iterations in which the inertia rose", Got: float64(rises(l.inertia))},
	}
}

func distance(p, q []float64) (sum float64) {
	for j := range p {
		sum += (p[j] - q[j]) * (p[j] - q[j])
	}
	return sum
}

// farthest returns the largest difference, in any coordinate, between a centre and the mean of its
// points. A centre without points is compared with its previous position.
func (l *lloyd) farthest(sums, counts []float64) (most float64) {
	for i, sum := range sums {
		want := l.from[i]
		if count := counts[i/l.Dimensions]; count > 0 {
			want = sum / count
		}
		most = max(most, math.Abs(l.to[i]-want))
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
