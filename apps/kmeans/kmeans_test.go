package kmeans_test

import (
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/kmeans"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestEverywhere checks that runs pass, with the bits of the program without Fagus.
func TestEverywhere(t *testing.T) {
	cfg := kmeans.Config{Points: 1000, Dimensions: 3, Clusters: 4, Iterations: 30, Seed: 5}
	want := kmeans.Plain(cfg, apptest.Timer)
	apptest.Everywhere(t, func(on fagus.Config) { apptest.Same(t, kmeans.Run, on, cfg, want) })
}

// TestKnown checks that two groups on a line are found, and that points from a file are used
// unchanged.
func TestKnown(t *testing.T) {
	points := matrix.Dense{Rows: 6, Cols: 1, Data: []float64{0, 1, 2, 10, 11, 12}}
	r := apptest.First(t, kmeans.Run, fagus.Config{Nodes: 2}, kmeans.Config{Data: &points, Clusters: 2, Iterations: 9})
	if r.Excess() > 1 || r.Checks[2].Got != 4 {
		t.Errorf("lines %v, checks %v: want an inertia of 4", r.Lines, r.Checks)
	}
}

// TestSpoiled checks that verification finds a wrong assignment, whichever rank has the last
// point.
func TestSpoiled(t *testing.T) {
	cfg := kmeans.Config{Points: 700, Dimensions: 2, Clusters: 3, Iterations: 5, Options: verify.Options{Spoil: true}}
	apptest.Spoiled(t, kmeans.Run, kmeans.Plain, cfg)
}

// TestMistakes checks that invalid configurations are rejected.
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
			t.Errorf("%s: Validate returns no error", what)
		}
	}
}
