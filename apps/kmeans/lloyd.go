package kmeans

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/parts"
)

// batchPoints is the number of points whose sum is rounded. Sums of batches are added exactly.
const batchPoints = 256

// lloyd assigns some points to the centres of all points. It knows nothing of ranks.
type lloyd struct {
	Config
	labels   []int32   // by point: its centre
	from, to []float64 // the centres before and after the last iteration
	inertia  []float64 // by iteration: for the centres at its beginning
	begun    int       // iterations of the runs that this one resumes
	settled  bool
}

func newLloyd(cfg Config) lloyd {
	centres := cfg.Clusters * cfg.Dimensions
	return lloyd{Config: cfg, from: make([]float64, centres), to: make([]float64, centres)}
}

func noLabels(points int) []int32 { return slices.Repeat([]int32{-1}, points) }

// numbers returns how many numbers an iteration adds up: for each centre the sum of its points
// and their number, and then the inertia and the number of points that changed.
func (l *lloyd) numbers() int { return l.Clusters*(l.Dimensions+1) + 2 }

func (l *lloyd) fill(points []float64, lo, hi int) {
	d := l.Dimensions
	for i := lo; i < hi; i += batchPoints {
		l.batch(i/batchPoints, points[(i-lo)*d:(min(i+batchPoints, hi)-lo)*d])
	}
}

// first returns the coordinates of the initial centres among the points lo to hi-1.
func (l *lloyd) first(points []float64, lo, hi int) (centres []float64) {
	d := l.Dimensions
	for c := range l.Clusters {
		if i := c * l.Points / l.Clusters; i >= lo && i < hi {
			centres = append(centres, points[(i-lo)*d:][:d]...)
		}
	}
	return centres
}

func (l *lloyd) done() bool { return l.settled || len(l.inertia) >= l.Iterations }

// step completes an iteration, given its sums over all points (see numbers).
func (l *lloyd) step(all []parts.Exact) {
	copy(l.from, l.to) // a centre without points stays in place
	l.move(all)
	rest := all[len(all)-2:]
	l.inertia, l.settled = append(l.inertia, rest[0].Float64()), rest[1].Float64() == 0
}

func (l *lloyd) move(all []parts.Exact) {
	d := l.Dimensions
	for c := range l.Clusters {
		sums := all[c*(d+1):][:d+1]
		if count := sums[d].Float64(); count > 0 {
			for j := range d {
				l.to[c*d+j] = sums[j].Float64() / count
			}
		}
	}
}

// assignBatch assigns points to their nearest centres, and adds their numbers to the slice all.
func (l *lloyd) assignBatch(points []float64, labels []int32, sums []float64, all []parts.Exact) {
	d := l.Dimensions
	clear(sums)
	inertia, changed := 0.0, 0
	for i, old := range labels {
		p := points[i*d:][:d:d]
		best, least := nearest(p, l.to)
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
	for i, x := range sums {
		if x != 0 {
			all[i].Add(x)
		}
	}
}

// nearest returns the index of the first centre nearest to p, and its squared distance.
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

func (l *lloyd) operations(points int) float64 {
	return 3 * float64(points) * float64(l.Clusters) * float64(l.Dimensions)
}

func (l *lloyd) spoil(chosen []int32) {
	last := &chosen[len(chosen)-1]
	*last = (*last + 1) % int32(l.Clusters)
}

func (l *lloyd) lines() []string {
	end := "settled"
	if !l.settled {
		end = "not settled"
	}
	return []string{fmt.Sprintf("inertia %.10g at first, %.10g after %d iterations, %s", l.inertia[0], l.inertia[len(l.inertia)-1], len(l.inertia), end)}
}
