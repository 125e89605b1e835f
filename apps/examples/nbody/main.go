// Command nbody moves stars that attract each other, and prints how their energy changes.
//
//	go run . --nodes 4 --bodies 2000
//	go run . --nodes 4 --checkpoint saved --checkpoint-every 1s   # a later run goes on from there
//
// Each rank moves a block of the bodies, for which it needs the positions of all. So the bodies are
// a parts.Whole, which every rank reads, and of which each rank writes its block of the next state.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	bodies = flag.Int("bodies", 300, "move `N` bodies")
	steps  = flag.Int("steps", 100, "make `N` steps")
)

func main() {
	program.App{About: "moves stars that attract each other", Run: run, Vary: []string{"steps"}}.Main()
}

// vector has the coordinates x, y and z.
type vector [3]float64

// body has a mass of 1 by the number of bodies.
type body struct{ Position, Speed vector }

// run runs once as every rank.
func run(n *fagus.Node) error {
	stars, err := move(n, *bodies, *steps)
	if n.Rank() == 0 && err == nil {
		fmt.Printf("energy %.5f at the beginning, %.5f at the end\n", energy(begin(*bodies)), energy(stars))
	}
	return err
}

// move returns all bodies after so many steps.
func move(n *fagus.Node, bodies, steps int) (result []body, err error) {
	stars, err := parts.NewWhole[body](n, "stars", bodies)
	if err != nil {
		return nil, err
	}
	stars.Keep() // in checkpoints
	lo, hi := stars.Items(n.Rank())
	if !n.Resume() {
		stars.Fill(func(mine []body) { copy(mine, begin(bodies)[lo:hi]) })
	}
	for range n.Steps(steps) { // makes checkpoints, and ends after an error
		stars.Next(func(all, mine []body) {
			for i := range mine {
				mine[i] = next(all, lo+i)
			}
			n.Spend(fagus.Time(len(mine)*len(all)) * 5 * fagus.Nanosecond) // on a simulated network
		})
	}
	stars.Read(func(all []body) { result = append(result, all...) })
	return result, n.Err() // errors stick: it is enough to check once
}

// begin returns the bodies at the beginning: at random places, without speed.
func begin(bodies int) []body {
	random := rand.New(rand.NewPCG(1, 1))
	all := make([]body, bodies)
	for i := range all {
		all[i].Position = vector{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
	}
	return all
}

const (
	interval = 0.01 // the time of a step
	soft     = 0.01 // added to squares of distances, so that close bodies do not fly off
)

// distance returns the way from a to b, and the square of its length.
func distance(a, b vector) (way vector, square float64) {
	for k := range way {
		way[k] = b[k] - a[k]
		square += way[k] * way[k]
	}
	return way, square + soft
}

// next returns body i after a step.
func next(all []body, i int) body {
	b := all[i]
	for j := range all {
		way, square := distance(all[i].Position, all[j].Position)
		pull := interval / (square * math.Sqrt(square) * float64(len(all)))
		for k := range way {
			b.Speed[k] += pull * way[k]
		}
	}
	for k := range b.Position {
		b.Position[k] += interval * b.Speed[k]
	}
	return b
}

// energy returns the energy of all bodies, which would not change if steps were infinitely small.
func energy(all []body) (sum float64) {
	mass := 1 / float64(len(all))
	for i, a := range all {
		for _, x := range a.Speed {
			sum += mass * x * x / 2
		}
		for _, b := range all[:i] {
			_, square := distance(a.Position, b.Position)
			sum -= mass * mass / math.Sqrt(square)
		}
	}
	return sum
}
