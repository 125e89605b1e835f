package dgemm_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/dgemm"
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func kernel(n *fagus.Node, size int, l prk.Loop) (prk.Result, error) {
	return dgemm.Run(n, dgemm.Config{N: sizes()[size], Loop: l})
}

func plain(size int, l prk.Loop, timed verify.Timer) prk.Result {
	return dgemm.Plain(dgemm.Config{N: sizes()[size], Loop: l}, timed)
}

func sizes() []int { return []int{2, 3, 37} }

// TestEverywhere: the closed form comes out, with no error at all.
func TestEverywhere(t *testing.T) { apptest.Kernel(kernel).Everywhere(t, len(sizes())) }

// TestRandomDelays: nor if ranks wait for each other in another order.
func TestRandomDelays(t *testing.T) { apptest.Kernel(kernel).Delayed(t, 2) }

// TestSpoiled: a wrong number is found, whoever has it.
func TestSpoiled(t *testing.T) { apptest.Kernel(kernel).Spoiled(t, len(sizes())) }

// TestLarge: more than one block of gemm, and sums that float64 cannot hold exactly, have the same
// bits on 1 to 4 nodes, and without Fagus.
func TestLarge(t *testing.T) {
	loop := prk.Loop{Iterations: 1}
	want := dgemm.Plain(dgemm.Config{N: 301, Loop: loop}, apptest.Timer)
	if want.Error > prk.Epsilon || want.Time != 1 {
		t.Errorf("plain: %+v", want)
	}
	for nodes := 1; nodes <= 4; nodes++ {
		r := apptest.Run(t, fagus.Config{Nodes: nodes}, "301 x 301", func(n *fagus.Node) (prk.Result, error) {
			return dgemm.Run(n, dgemm.Config{N: 301, Loop: loop})
		})[0]
		if r.Got != want.Got || r.Work != want.Work {
			t.Errorf("%d nodes: %+v, plain %+v", nodes, r, want)
		}
	}
}

// TestPlain: the program without Fagus has the same bits.
func TestPlain(t *testing.T) { apptest.Kernel(kernel).SamePlain(t, plain, len(sizes())) }

// TestValidate: what cannot be is told.
func TestValidate(t *testing.T) {
	one := prk.Loop{Iterations: 1}
	for what, cfg := range map[string]dgemm.Config{"a number": {N: 1, Loop: one}, "too large": {N: 1 << 20, Loop: one}, "no iterations": {N: 5}} {
		if cfg.Validate() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
