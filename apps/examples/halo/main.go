// Command halo lets two chemicals react and spread on a torus, and draws them (Gray-Scott).
//
//	go run . --nodes 4                                          # writes halo.png
//	go run . --nodes 4 --checkpoint saved --checkpoint-every 1s # a later run goes on from there
//
// It shows two fields that are computed in the same steps. The ranks divide the rows. Each field is
// a parts.Pair: the present grid and the next one. In a step of parts.Together a rank holds its own
// rows of all four grids, and of the present ones a row of either neighbour: the halo.
package main

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	size  = flag.Int("size", 128, "a torus of `N` rows and columns")
	steps = flag.Int("steps", 1000, "make `N` steps")
	out   = flag.String("png", "halo.png", "draw the result in `FILE`")
)

func main() {
	program.App{About: "lets two chemicals react on a torus", Run: run, Vary: []string{"steps", "png"}}.Main()
}

// run runs once as every rank.
func run(n *fagus.Node) error {
	v, err := react(n, *size, *steps)
	if err != nil || n.Rank() > 0 {
		return err
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	fmt.Printf("%.6f of the second chemical\n", sum)
	return draw(*out, v, *size)
}

// react returns the second chemical after so many steps, row by row, at rank 0.
func react(n *fagus.Node, size, steps int) (result []float64, err error) {
	shape := parts.Shape{Rows: size, Columns: size, Halo: 1, Wrap: true}
	u, err := parts.NewPair[float64](n, "u", shape)
	if err != nil {
		return nil, err
	}
	v, err := parts.NewPair[float64](n, "v", shape)
	if err != nil {
		return nil, err
	}
	both := parts.Together(u, v)
	lo, hi := u.Now.Mine() // this rank's rows
	if !n.Resume() {
		both.Fill(func() error {
			for i := lo; i < hi; i++ {
				begin(u.Next.Row(i), v.Next.Row(i), i)
			}
			return nil
		})
	}
	for range n.Steps(steps) { // makes checkpoints, and ends after an error
		both.Step(func() error {
			for i := lo; i < hi; i++ {
				a, b := u.Now, v.Now
				next(u.Next.Row(i), v.Next.Row(i), a.Row(i-1), a.Row(i), a.Row(i+1), b.Row(i-1), b.Row(i), b.Row(i+1))
			}
			n.Spend(fagus.Time((hi-lo)*size) * 20 * fagus.Nanosecond) // on a simulated network
			return nil
		})
	}
	if n.Rank() == 0 {
		n.Set(v.Now.WantAll(fagus.Shared)...).Do(func() { result = v.Now.Copy() })
	}
	return result, n.Err() // errors stick: it is enough to check once
}

// begin sets row i at the beginning: the first chemical everywhere, and the second in a square.
func begin(u, v []float64, i int) {
	for j := range u {
		u[j], v[j] = 1, 0
		if middle := len(u) / 2; max(i-middle, middle-i, j-middle, middle-j) < 5 {
			u[j], v[j] = 0.5, 0.25
		}
	}
}

// next computes a row of both chemicals after a step from the rows above, here and below.
func next(toU, toV, uAbove, u, uBelow, vAbove, v, vBelow []float64) {
	for j := range u {
		left, right := (j+len(u)-1)%len(u), (j+1)%len(u)
		reaction := u[j] * v[j] * v[j]
		toU[j] = u[j] + 0.16*(uAbove[j]+uBelow[j]+u[left]+u[right]-4*u[j]) - reaction + 0.035*(1-u[j])
		toV[j] = v[j] + 0.08*(vAbove[j]+vBelow[j]+v[left]+v[right]-4*v[j]) + reaction - 0.1*v[j]
	}
}

// draw writes a picture of a field.
func draw(name string, v []float64, size int) error {
	picture := image.NewGray(image.Rect(0, 0, size, size))
	for i, x := range v {
		picture.Pix[i] = uint8(255 * min(2*x, 1))
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := png.Encode(f, picture); err != nil {
		return err
	}
	return f.Close()
}
