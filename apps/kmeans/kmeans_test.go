package kmeans_test

import (
	"math"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/apptest"
	"github.com/fagus-dsm/fagus/apps/kmeans"
	"github.com/fagus-dsm/fagus/apps/matrix"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func run(t *testing.T, on fagus.Config, cfg kmeans.Config) verify.Result {
	t.Helper()
	return apptest.Run(t, on, "k-means", func(n *fagus.Node) (verify.Result, error) { return kmeans.Run(n, cfg) })[0]
}

// TestEverywhere: verified, and the same bits on every engine, network and number of nodes, and without Fagus.
func TestEverywhere(t *testing.T) {
	cfg := kmeans.Config{Points: 1000, Dimensions: 3, Clusters: 4, Iterations: 30, Seed: 5}
	want := kmeans.Plain(cfg, apptest.Timer)
	apptest.Everywhere(t, func(on fagus.Config) {
		r := run(t, on, cfg)
		if r.Excess() > 1 || !slices.Equal(r.Checks, want.Checks) || !slices.Equal(r.Lines, want.Lines) || r.Operations != want.Operations {
			t.Errorf("%d nodes, %v mode: %v, without Fagus %v", on.Nodes, on.Mode, r.Checks, want.Checks)
		}
	})
}

// TestKnown: two heaps on a line are found, and points of a file are used as they are.
func TestKnown(t *testing.T) {
	points := matrix.Dense{Rows: 6, Cols: 1, Data: []float64{0, 1, 2, 10, 11, 12}}
	r := run(t, fagus.Config{Nodes: 2}, kmeans.Config{Data: &points, Clusters: 2, Iterations: 9})
	if r.Excess() > 1 || r.Checks[2].Got != 4 {
		t.Errorf("%v, %v: want an inertia of 4", r.Lines, r.Checks)
	}
}

// TestSpoiled: a wrong choice is found, wherever the last point is.
func TestSpoiled(t *testing.T) {
	cfg := kmeans.Config{Points: 700, Dimensions: 2, Clusters: 3, Iterations: 5, Spoil: true}
	if r := kmeans.Plain(cfg, apptest.Timer); r.Excess() <= 1 {
		t.Errorf("without Fagus: spoiled, and verified: %v", r.Checks)
	}
	for nodes := 1; nodes <= 4; nodes++ {
		r := run(t, fagus.Config{Nodes: nodes}, cfg)
		if r.Excess() <= 1 {
			t.Errorf("%d nodes: spoiled, and verified: %v", nodes, r.Checks)
		}
	}
}

// TestMistakes: what cannot be run is told.
func TestMistakes(t *testing.T) {
	good := kmeans.Config{Points: 10, Dimensions: 2, Clusters: 2, Iterations: 1}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*kmeans.Config){
		"no point":         func(c *kmeans.Config) { c.Points = 0 },
		"no coordinate":    func(c *kmeans.Config) { c.Dimensions = 0 },
		"one cluster":      func(c *kmeans.Config) { c.Clusters = 1 },
		"too many centres": func(c *kmeans.Config) { c.Clusters = 11 },
		"no iteration":     func(c *kmeans.Config) { c.Iterations = 0 },
		"too many points":  func(c *kmeans.Config) { c.Points = math.MaxInt },
		"no number": func(c *kmeans.Config) {
			c.Data = &matrix.Dense{Rows: 2, Cols: 1, Data: []float64{1, math.NaN()}}
		},
		"an empty file": func(c *kmeans.Config) { c.Data = &matrix.Dense{} },
	} {
		bad := good
		change(&bad)
		if bad.Validate() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
