package workqueue

import (
	"math"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/fagus"
)

// A task performs steps of a linear congruential generator modulo 2^64, with Knuth's constants of
// MMIX (The Art of Computer Programming, vol. 2, 3.3.4, table 1).
type task struct {
	start uint64
	steps int
}

const (
	factor    = 6364136223846793005
	increment = 1442695040888963407
	// stepTime is the cost of a step on the papers' machine, a Pentium III at 950 MHz: three
	// multiplications, two of them independent, and additions with carry; about 10 cycles of 1053
	// ps.
	stepTime = 10530 * fagus.Nanosecond / 1000
	// chunkSteps is the number of steps between two checks of Node.Err: about 20 ms of work.
	chunkSteps = 1 << 24
)

// tasks returns all tasks of a run, the same at every rank.
func tasks(cfg Config) []task {
	random := rand.New(rand.NewPCG(cfg.Seed, 0))
	list := make([]task, cfg.Tasks)
	sum := 0.0
	for k := range list {
		sum += zipf(k, cfg.Skew)
	}
	mean := float64(cfg.Work) / float64(stepTime)
	for k, at := range random.Perm(cfg.Tasks) {
		list[at] = task{random.Uint64(), int(mean * float64(cfg.Tasks) * zipf(k, cfg.Skew) / sum)}
	}
	return list
}

// zipf returns the length of the (k+1)-th longest task, relative to the longest.
func zipf(k int, skew float64) float64 { return math.Pow(float64(k+1), -skew) }

// do performs the steps one by one.
func (t task) do(n *fagus.Node) (uint64, error) {
	x := t.start
	for left := t.steps; left > 0; {
		chunk := min(left, chunkSteps)
		left -= chunk
		for range chunk {
			x = x*factor + increment
		}
		n.Spend(fagus.Time(chunk) * stepTime)
		if err := n.Err(); err != nil {
			return 0, err
		}
	}
	return x, nil
}

// jump computes the result of do by another method: x -> f*x + c, applied twice, is x -> f*f*x +
// (f+1)*c, so about log2(steps) squarings suffice.
func (t task) jump() uint64 {
	x := t.start
	f, c := uint64(factor), uint64(increment)
	for left := t.steps; left > 0; left /= 2 {
		if left%2 == 1 {
			x = f*x + c
		}
		f, c = f*f, (f+1)*c
	}
	return x
}
