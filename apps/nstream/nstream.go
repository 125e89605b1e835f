package nstream

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	Length int // of each vector
	prk.Loop
}

// Validate reports an error if the kernel cannot run with c.
func (c *Config) Validate() error {
	if c.Length < 1 {
		return fmt.Errorf("nstream: vectors of length %d: want at least 1", c.Length)
	}
	return c.Loop.Validate("nstream")
}

const (
	scalar       = 3.0
	initial      = 2.0     // value of B and C
	elementBytes = 4 * 8   // bytes read and written per element, as PRK counts them
	strip        = 1 << 16 // elements between two checks of Node.Err
)

// Run runs the kernel. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (prk.Result, error) {
	if err := cfg.Validate(); err != nil {
		return prk.Result{}, err
	}
	var vectors [3]*parts.Blocks[float64]
	for i, name := range []string{"A", "B", "C"} {
		var err error
		if vectors[i], err = parts.NewBlocks[float64](n, name, cfg.Length, 1); err != nil {
			return prk.Result{}, err
		}
	}
	a, b, c := vectors[0], vectors[1], vectors[2]
	n.Set(slices.Concat(b.WantFill(), c.WantFill())...).Do(func() {
		fill(b.Mine())
		fill(c.Mine())
	})
	cfg.Resume(n)
	set := n.Set(slices.Concat(a.WantFill(), b.WantMine(fagus.Shared), c.WantMine(fagus.Shared))...)
	took, err := cfg.Timed(n, func(times int) error {
		return set.Do(func() { iterate(n, &cfg, times, a.Mine(), b.Mine(), c.Mine()) })
	})
	if err != nil {
		return prk.Result{}, err
	}
	sum := 0.0
	n.Set(a.WantMine(fagus.Shared)...).Do(func() { sum = total(a.Mine()) })
	sum, err = fagus.Reduce(n, sum, func(x, y float64) float64 { return x + y })
	return cfg.result(took, sum), err
}

// result returns the result; sum is the sum of A.
func (c *Config) result(took fagus.Time, sum float64) prk.Result {
	return prk.Result{
		Got: sum, Want: (initial + scalar*initial) * float64(c.Total()) * float64(c.Length),
		Time: took, Work: elementBytes * float64(c.Length), Made: c.Made(),
	}.Relative()
}

func iterate(n *fagus.Node, cfg *Config, times int, a, b, c []float64) {
	for range times {
		for lo := 0; lo < len(a) && n.Err() == nil; lo += strip {
			hi := min(lo+strip, len(a))
			triad(a[lo:hi], b[lo:hi], c[lo:hi])
		}
		n.Spend(fagus.Time(elementBytes*len(a)) * prk.ByteTime)
		cfg.AdvanceTogether(n, 1)
	}
	cfg.PlantLast(n, cfg.Length, func() { cfg.spoil(a) })
}

// spoil makes the last element of A wrong, by enough to change the sum beyond the tolerance.
func (c *Config) spoil(a []float64) { a[len(a)-1] += float64(c.Length) }

func fill(x []float64) {
	for i := range x {
		x[i] = initial
	}
}

// goTriad is triad without assembly. Small integers are exact, fused or not.
func goTriad(a, b, c []float64) {
	b, c = b[:len(a)], c[:len(a)]
	for i := range a {
		a[i] += b[i] + scalar*c[i]
	}
}

func total(a []float64) (sum float64) {
	for _, x := range a {
		sum += x
	}
	return sum
}
