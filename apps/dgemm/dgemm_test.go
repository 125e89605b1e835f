package dgemm_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/apps/dgemm"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/fagus"
)

func TestKernel(t *testing.T) {
	apptest.Kernel[dgemm.Config]{
		Run: dgemm.Run, Plain: dgemm.Plain, Delayed: 2, Configs: []dgemm.Config{{N: 2}, {N: 3}, {N: 37}},
		Invalid: map[string]dgemm.Config{"a single number": {N: 1}, "too large": {N: 1 << 20}},
	}.Test(t)
}

// TestLarge multiplies matrices of more than one block of gemm, whose sums float64 cannot hold
// exactly. The result has the same bits on 1 to 4 nodes and without Fagus.
func TestLarge(t *testing.T) {
	loop := prk.Loop{Iterations: 1}
	want := dgemm.Plain(dgemm.Config{N: 301, Loop: loop}, apptest.Timer)
	if want.Error > prk.Epsilon || want.Time != 1 {
		t.Errorf("without Fagus: %+v: want a small error, and time 1", want)
	}
	for nodes := 1; nodes <= 4; nodes++ {
		r := apptest.First(t, dgemm.Run, fagus.Config{Nodes: nodes}, dgemm.Config{N: 301, Loop: loop})
		if r.Got != want.Got || r.Work != want.Work {
			t.Errorf("%d nodes: %+v, want %+v as without Fagus", nodes, r, want)
		}
	}
}
