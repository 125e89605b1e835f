package byhand

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels/programs"
	"github.com/fagus-dsm/fagus/fagus"
)

// version is one of three versions of a program.
type version int

const (
	made  version = iota // by fagusc
	hand                 // of this package
	alone                // the sequential kernels, without Fagus
)

// program runs a version of a program on an input of a size. The output is what rank 0 gets in its
// slices, and the results are what every rank gets.
type program struct {
	name  string
	input func(size int) string // describes the input
	steps int                   // of a run that is compared
	sums  bool                  // adds numbers whose sum depends on the order
	run   func(v version, node *fagus.Node, size, steps int) (output, results []float64, err error)
}

// programsOf returns all programs.
func programsOf() []program {
	square := func(size int) string { return fmt.Sprintf("%d x %d", size, size) }
	points := func(size int) string { return fmt.Sprintf("%d points, %d means", size*size, programs.Clusters) }
	rows := func(size int) string { return fmt.Sprintf("%d rows", rowsOf(size)) }
	return []program{
		{"shallow water", square, 300, false, water},
		{"lattice Boltzmann", square, 500, false, lattice},
		{"k-means", points, 20, false, means},
		{"conjugate gradients", rows, 100, true, gradients},
	}
}

// has reports whether a rank has the input. Other ranks have zeros.
func has(node *fagus.Node) bool { return node == nil || node.Rank() == 0 }

// random returns the source of all inputs.
func random() *rand.Rand { return rand.New(rand.NewPCG(25, 4)) }

func water(of version, node *fagus.Node, size, steps int) (output, _ []float64, err error) {
	h, w := size+1, size+1
	u, v, p := make([]float64, h*w), make([]float64, h*w), make([]float64, h*w)
	if has(node) {
		for i := range size {
			for j := range size {
				p[i*w+j] = 50000 + 1000*math.Cos(2*math.Pi*float64(i)/float64(size))*math.Cos(math.Pi*float64(j)/float64(size))
				if i > 0 {
					u[i*w+j] = 20 * math.Sin(math.Pi*float64(i)/float64(size))
				}
				if j > 0 {
					v[i*w+j] = -10 * math.Sin(2*math.Pi*float64(j)/float64(size))
				}
			}
		}
	}
	switch of {
	case made:
		err = programs.Water(node, u, v, p, h, w, steps)
	case hand:
		err = Water(node, u, v, p, h, w, steps)
	case alone:
		grids := make([][]float64, 10)
		for i := range grids {
			grids[i] = make([]float64, h*w)
		}
		now, next, before := [][]float64{u, v, p}, grids[:3], grids[3:6]
		cu, cv, z, b := grids[6], grids[7], grids[8], grids[9]
		for step := range steps {
			dt, smoothing := programs.Step(step)
			from := before
			if step == 0 {
				from = now
			}
			programs.Fluxes(cu, cv, z, b, now[0], now[1], now[2], 0, h-1, w, programs.Flux, programs.Flux)
			programs.Leap(next[0], next[1], next[2], from[0], from[1], from[2], cu, cv, z, b, 0, h-1, w, dt/8, dt/programs.Distance, dt/programs.Distance)
			programs.Smooth(before[0], before[1], before[2], now[0], now[1], now[2], next[0], next[1], next[2], 0, h-1, w, smoothing)
			now, next = next, now
		}
		u, v, p = now[0], now[1], now[2]
	}
	return slices.Concat(u, v, p), nil, err
}

func lattice(of version, node *fagus.Node, size, steps int) (output, results []float64, err error) {
	h, w := size+2, size+2
	f, wall := make([]float64, 9*h*w), make([]uint8, h*w)
	weights := [9]float64{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}
	if has(node) {
		for y := range h {
			for x := range w {
				inside := y > 0 && y < h-1 && x > 0 && x < w-1
				switch r := float64(size) / 6; {
				case !inside && y == 0:
					wall[y*w+x] = 2
				case !inside || math.Hypot(float64(y)-float64(h)/2, float64(x)-float64(w)/2) < r:
					wall[y*w+x] = 1
				}
				for k, c := range weights {
					if inside {
						f[(k*h+y)*w+x] = c * (1 + 0.01*math.Sin(float64(y*k+x)))
					}
				}
			}
		}
	}
	const omega, lid = 1.2, 0.01
	most := 0.0
	switch of {
	case made:
		most, err = programs.Lattice(node, f, wall, h, w, steps, omega, lid)
	case hand:
		most, err = Lattice(node, f, wall, h, w, steps, omega, lid)
	case alone:
		to := make([]float64, 9*h*w)
		for step := range steps {
			programs.Flow(to, f, wall, h, w, 0, h, omega, lid)
			if f, to = to, f; step%programs.Every == 0 {
				most = max(most, programs.Speed(f, wall, h, w, 0, h))
			}
		}
	}
	return f, []float64{most}, err
}

// means has coordinates that are multiples of 2^-10, so that sums are exact.
func means(of version, node *fagus.Node, size, steps int) (output, results []float64, err error) {
	n := size * size
	points, label, r := make([]float64, n*programs.Dimensions), make([]int, n), random()
	var centres programs.Model
	for c := range centres {
		for j := range programs.Dimensions {
			centres[c][j] = r.Float64()
		}
	}
	for i := range points {
		if has(node) {
			points[i] = float64(r.IntN(1024)) / 1024
		}
	}
	for i := range label {
		label[i] = -1
	}
	count := 0
	switch of {
	case made:
		centres, count, err = programs.Means(node, points, label, centres, steps)
	case hand:
		centres, count, err = Means(node, points, label, centres, steps)
	case alone:
		for changed := 1; count < steps && changed > 0; count++ {
			var sums programs.Model
			sums, changed = programs.Assign(points, label, centres)
			centres = programs.Move(centres, sums)
		}
	}
	for _, l := range label {
		output = append(output, float64(l))
	}
	for _, c := range centres {
		results = append(results, c[:]...)
	}
	return output, append(results, float64(count)), err
}

// rowsOf returns the number of equations of an input.
func rowsOf(size int) int { return size*size/8 + 25 }

// gradients has a random symmetric matrix, as NPB CG has, with about seven elements a row, and a
// diagonal that is the sum of the others and little more.
func gradients(of version, node *fagus.Node, size, steps int) (output, results []float64, err error) {
	n := rowsOf(size)
	x, right, begin := make([]float64, n), make([]float64, n), make([]int, n+1)
	r, rows := random(), make([]map[int]float64, n)
	for i := range rows {
		rows[i] = map[int]float64{i: 0.05}
	}
	for i := range n {
		for range 3 {
			j, v := r.IntN(n), r.Float64()-0.5
			if i != j && rows[i][j] == 0 {
				rows[i][j], rows[j][i] = v, v
				rows[i][i], rows[j][j] = rows[i][i]+math.Abs(v), rows[j][j]+math.Abs(v)
			}
		}
	}
	var col []int
	var val []float64
	for i, row := range rows {
		for _, j := range slices.Sorted(maps.Keys(row)) {
			col, val = append(col, j), append(val, row[j])
		}
		begin[i+1], right[i] = len(col), r.Float64()
	}
	if !has(node) {
		col, val, begin, right = make([]int, len(col)), make([]float64, len(val)), make([]int, n+1), make([]float64, n)
	}
	rr := 0.0
	switch of {
	case made:
		rr, err = programs.Gradients(node, x, right, val, begin, col, steps)
	case hand:
		rr, err = Gradients(node, x, right, val, begin, col, steps)
	case alone:
		r, p, q := slices.Clone(right), slices.Clone(right), make([]float64, n)
		rr = programs.Dot(r, r)
		for range steps {
			programs.Multiply(q, p, val, begin, col)
			before := rr
			rr = programs.Advance(x, r, p, q, rr/programs.Dot(p, q))
			programs.Turn(p, r, rr/before)
		}
	}
	return x, []float64{rr}, err
}
