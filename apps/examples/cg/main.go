// Command cg computes the temperatures of a heated plate with cold edges (conjugate gradient).
//
//	go run . --nodes 4 --size 500
//	go run . --nodes 4 --checkpoint saved --checkpoint-every 1s   # a later run goes on from there
//
// The equations are those of a 2-D Laplacian: 4 times a point less its four neighbours is the heat
// that flows in. The ranks divide the rows. Only the search direction p is shared, in a parts.Grid,
// because a rank needs rows of its neighbours; x and r are private. parts.Sums adds up dot products
// in the order of the ranks, so all ranks have the same sums, and end after the same step.
package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	size  = flag.Int("size", 100, "a plate of `N` rows and columns")
	steps = flag.Int("steps", 10000, "make `N` steps, or fewer if the result is precise")
)

func main() {
	program.App{About: "computes the temperatures of a plate", Run: run, Vary: []string{"steps"}}.Main()
}

const precision = 1e-10 // of the result, by the heat that flows in

// run runs once as every rank.
func run(n *fagus.Node) error {
	x, err := solve(n, *size, *steps)
	if err != nil {
		return err
	}
	hottest := 0.0
	for _, t := range x {
		hottest = max(hottest, t)
	}
	hottest, err = fagus.Reduce(n, hottest, math.Max)
	if n.Rank() == 0 && err == nil {
		fmt.Printf("at most %.4f degrees\n", hottest)
	}
	return err
}

// solve returns the temperatures of this rank's rows.
func solve(n *fagus.Node, size, steps int) ([]float64, error) {
	p, err := parts.NewGrid[float64](n, "p", parts.Shape{Rows: size, Columns: size, Halo: 1})
	if err != nil {
		return nil, err
	}
	sums, err := parts.NewSums[float64](n, "sums", 1)
	if err != nil {
		return nil, err
	}
	dot := func(a, b []float64) float64 { // of all ranks
		sum := []float64{0}
		for i := range a {
			sum[0] += a[i] * b[i]
		}
		sums.Add(sum)
		return sum[0]
	}
	lo, hi := p.Mine() // this rank's rows
	x, r, q := make([]float64, (hi-lo)*size), make([]float64, (hi-lo)*size), make([]float64, (hi-lo)*size)
	mine := func() []float64 { return p.Part(lo*size, hi*size) }
	parts.KeepBlock(n, "x", &x, size, size) // checkpoints have p, and these
	parts.KeepBlock(n, "r", &r, size, size)
	read := n.Set(append(p.WantMine(fagus.Shared), p.WantHalo()...)...)
	write := n.Set(p.WantMine(fagus.Exclusive)...)
	var rr float64 // the square of the error r
	if !n.Resume(&rr) {
		for i := range r {
			r[i] = heat // for x = 0
		}
		rr = dot(r, r)
		write.Do(func() { copy(mine(), r) })
	}
	for range n.Steps(steps) { // makes checkpoints, and ends after an error
		if rr <= precision*precision*float64(size*size)*heat*heat {
			break
		}
		_ = n.Fence() // neighbours have written their rows
		own := make([]float64, len(x))
		read.Do(func() {
			laplace(q, p, lo, hi)
			copy(own, mine())
		})
		n.Spend(fagus.Time(len(x)) * 10 * fagus.Nanosecond) // on a simulated network
		alpha := rr / dot(own, q)
		for i := range x {
			x[i] += alpha * own[i]
			r[i] -= alpha * q[i]
		}
		before := rr
		rr = dot(r, r)
		_ = n.Fence() // neighbours have read this rank's rows
		write.Do(func() {
			for i, old := range own {
				mine()[i] = r[i] + rr/before*old
			}
		})
	}
	return x, n.Err() // errors stick: it is enough to check once
}

// heat flows into each point.
const heat = 0.01

// laplace sets q to the rows lo to hi-1 of 4 times p less its neighbours. Beyond the edges p is 0.
func laplace(q []float64, p *parts.Grid[float64], lo, hi int) {
	at := func(i, j int) float64 {
		if i < 0 || i == p.Rows || j < 0 || j == p.Columns {
			return 0
		}
		return p.Row(i)[j]
	}
	for i := lo; i < hi; i++ {
		for j := range p.Columns {
			q[(i-lo)*p.Columns+j] = 4*at(i, j) - at(i-1, j) - at(i+1, j) - at(i, j-1) - at(i, j+1)
		}
	}
}
