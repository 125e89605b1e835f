package apptest

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// Kernel runs one of the Parallel Research Kernels with one of some sizes, which the test numbers
// from 0.
type Kernel func(n *fagus.Node, size int, l prk.Loop) (prk.Result, error)

// Run is the result of rank 0.
func (k Kernel) Run(t testing.TB, on fagus.Config, size int, l prk.Loop) prk.Result {
	t.Helper()
	return Run(t, on, fmt.Sprintf("size %d, %+v", size, l), func(n *fagus.Node) (prk.Result, error) { return k(n, size, l) })[0]
}

// Everywhere: the closed form comes out of all sizes, with no error at all.
func (k Kernel) Everywhere(t *testing.T, sizes int) {
	Everywhere(t, func(on fagus.Config) {
		for size := range sizes {
			if r := k.Run(t, on, size, prk.Loop{Iterations: 4}); r.Error != 0 {
				t.Errorf("%d nodes, %v mode, size %d: result %g, want %g", on.Nodes, on.Mode, size, r.Got, r.Want)
			}
		}
	})
}

// Delayed: it comes out of a size if ranks wait for each other in another order, too.
func (k Kernel) Delayed(t *testing.T, size int) {
	Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		if r := k.Run(t, on, size, prk.Loop{Iterations: 5}); r.Error != 0 {
			t.Errorf("seed %d: %d nodes, %v mode: result %g, want %g", seed, on.Nodes, on.Mode, r.Got, r.Want)
		}
	})
}

// Spoiled: a wrong number is found, whoever has it.
func (k Kernel) Spoiled(t *testing.T, sizes int) {
	for size := range sizes {
		for nodes := 1; nodes <= 4; nodes++ {
			if r := k.Run(t, fagus.Config{Nodes: nodes}, size, prk.Loop{Iterations: 2, Spoil: true}); r.Error <= prk.Epsilon {
				t.Errorf("%d nodes, size %d: result %g passes for %g", nodes, size, r.Got, r.Want)
			}
		}
	}
}

// PlainKernel is one of them without Fagus.
type PlainKernel func(size int, l prk.Loop, timed verify.Timer) prk.Result

// SamePlain: without Fagus the result is that of 2 nodes in all sizes, iterations are timed and told of as
// there, and a wrong number is found.
func (k Kernel) SamePlain(t *testing.T, plain PlainKernel, sizes int) {
	for size := range sizes {
		timed, told := 0, 0
		timer := func(section func()) fagus.Time { timed = told; section(); return 1 }
		loop := prk.Loop{Iterations: 4}
		want := k.Run(t, fagus.Config{Nodes: 2}, size, loop)
		loop.Progress = func(iterations int) { told += iterations }
		got := plain(size, loop, timer)
		want.Time = 1
		if got != want || timed != 1 || told != loop.Total() {
			t.Errorf("size %d: plain has %+v, told of %d iterations, %d before the timed ones; want %+v, %d and 1", size, got, told, timed, want, loop.Total())
		}
		if r := plain(size, prk.Loop{Iterations: 2, Spoil: true}, timer); r.Error <= prk.Epsilon {
			t.Errorf("size %d: plain result %g passes for %g", size, r.Got, r.Want)
		}
	}
}
