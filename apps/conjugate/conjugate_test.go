package conjugate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/apps/conjugate"
	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/fagus"
)

func poisson(grid int) conjugate.Config {
	return conjugate.Config{Grid: grid, Tolerance: 1e-10, Iterations: 1000}
}

// decoded returns the matrix in the text of a file.
func decoded(t *testing.T, text string) *matrix.Sparse {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.mtx")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := matrix.ReadSparse(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// random returns a symmetric, diagonally dominant matrix with elements far from the diagonal.
func random(rows int, seed uint64) *matrix.Sparse {
	r := rand.New(rand.NewPCG(seed, 0))
	dense := make([]float64, rows*rows)
	for range 3 * rows {
		i, j, v := r.IntN(rows), r.IntN(rows), r.Float64()-0.5
		dense[i*rows+j] += v
		dense[j*rows+i] += v
		dense[i*rows+i] += 2 * math.Abs(v)
		dense[j*rows+j] += 2 * math.Abs(v)
	}
	a := &matrix.Sparse{Rows: rows, Cols: rows, Starts: []int{0}}
	for i := range rows {
		dense[i*rows+i]++
		for j, v := range dense[i*rows:][:rows] {
			if v != 0 {
				a.Columns, a.Values = append(a.Columns, int32(j)), append(a.Values, v)
			}
		}
		a.Starts = append(a.Starts, len(a.Values))
	}
	return a
}

// TestEverywhere checks that runs pass, with the bits of the program without Fagus.
func TestEverywhere(t *testing.T) {
	cfg := poisson(14) // 4 batches of rows
	want := apptest.Plain(t, conjugate.Plain, cfg)
	apptest.Everywhere(t, func(on fagus.Config) {
		r := apptest.First(t, conjugate.Run, on, cfg)
		if r.Excess() > 1 || !slices.Equal(r.X, want.X) || !slices.Equal(r.Lines, want.Lines) || r.Operations != want.Operations {
			t.Errorf("%d nodes, %v mode: checks %v, lines %v; want the result without Fagus, %v", on.Nodes, on.Mode, r.Checks, r.Lines, want.Lines)
		}
	})
}

// TestRandomMatrix checks the same for a matrix in which every rank needs parts of every other
// rank's vector, with and without a given right side.
func TestRandomMatrix(t *testing.T) {
	for seed := range uint64(5) {
		const rows = 300
		cfg := conjugate.Config{Matrix: random(rows, seed), Tolerance: 1e-12, Iterations: 1000}
		if seed%2 == 0 {
			for i := range rows {
				cfg.B = append(cfg.B, float64(i%7))
			}
		}
		want := apptest.Plain(t, conjugate.Plain, cfg)
		for nodes := 1; nodes <= 4; nodes++ {
			r := apptest.First(t, conjugate.Run, fagus.Config{Nodes: nodes}, cfg)
			if r.Excess() > 1 || !slices.Equal(r.X, want.X) {
				t.Errorf("seed %d, %d nodes: checks %v; without Fagus %v, want the same X", seed, nodes, r.Checks, want.Checks)
			}
		}
		if seed%2 == 1 && math.Abs(slices.Max(want.X)-1) > 1e-9 {
			t.Errorf("seed %d: the solution is a vector of ones, but its largest element is %g", seed, slices.Max(want.X))
		}
	}
}

// TestKnown solves 4x + y = 1 and x + 3y = 2, whose solution is 1/11 and 7/11.
func TestKnown(t *testing.T) {
	a := decoded(t, "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n")
	r := apptest.First(t, conjugate.Run, fagus.Config{Nodes: 3}, conjugate.Config{Matrix: a, B: []float64{1, 2}, Tolerance: 1e-14, Iterations: 9})
	if r.Excess() > 1 || math.Abs(r.X[0]-1.0/11) > 1e-13 || math.Abs(r.X[1]-7.0/11) > 1e-13 {
		t.Errorf("solution %g, checks %v: want 1/11 and 7/11", r.X, r.Checks)
	}
	if r := apptest.Plain(t, conjugate.Plain, conjugate.Config{Matrix: a, B: []float64{0, 0}, Tolerance: 1e-14, Iterations: 9}); r.Excess() > 1 || r.X[0] != 0 || r.X[1] != 0 {
		t.Errorf("a right side of 0: solution %g, checks %v, want 0", r.X, r.Checks)
	}
}

// TestSpoiled checks that verification finds a wrong number, too few iterations, and a residual
// that rounding keeps above the tolerance.
func TestSpoiled(t *testing.T) {
	wrong, few, much := poisson(14), poisson(14), poisson(60)
	wrong.Spoil, few.Iterations, much.Tolerance = true, 3, 1e-15
	for what, cfg := range map[string]conjugate.Config{"spoiled": wrong, "3 iterations": few, "a tolerance of 1e-15": much} {
		if r := apptest.Plain(t, conjugate.Plain, cfg); r.Excess() <= 1 {
			t.Errorf("%s, without Fagus: verification passes: %v", what, r.Checks)
		}
		for nodes := 1; nodes <= 4; nodes++ {
			if r := apptest.First(t, conjugate.Run, fagus.Config{Nodes: nodes}, cfg); r.Excess() <= 1 {
				t.Errorf("%s, %d nodes: verification passes: %v", what, nodes, r.Checks)
			}
		}
	}
}

// TestIndefinite checks that every rank reports a matrix with positive diagonal elements but
// negative eigenvalues.
func TestIndefinite(t *testing.T) {
	cfg := conjugate.Config{
		Matrix: decoded(t, "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n"),
		B:      []float64{1, -1}, Tolerance: 1e-10, Iterations: 9,
	}
	want := conjugate.IndefiniteError{Iteration: 1, Value: -2}
	var got *conjugate.IndefiniteError
	if _, err := conjugate.Plain(cfg, apptest.Timer); !errors.As(err, &got) || *got != want {
		t.Errorf("without Fagus: %v, want %v", err, &want)
	}
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Mode: mode}, func(n *fagus.Node) error {
			_, err := conjugate.Run(n, cfg)
			return err
		})
		if !errors.As(err, &got) || *got != want {
			t.Errorf("%v mode: error %v, want %v", mode, err, &want)
		}
	}
}

// TestMistakes checks that invalid configurations are rejected.
func TestMistakes(t *testing.T) {
	const general = "%%MatrixMarket matrix coordinate real general\n"
	small := func(text string) func(*conjugate.Config) {
		return func(c *conjugate.Config) { c.Matrix = decoded(t, general+text) }
	}
	for want, change := range map[string]func(*conjugate.Config){
		"0 x 0 grid":                           func(c *conjugate.Config) { c.Grid = 0 },
		"tolerance 0":                          func(c *conjugate.Config) { c.Tolerance = 0 },
		"tolerance NaN":                        func(c *conjugate.Config) { c.Tolerance = math.NaN() },
		"0 iterations":                         func(c *conjugate.Config) { c.Iterations = 0 },
		"right side without a matrix":          func(c *conjugate.Config) { c.B = []float64{1} },
		"2 x 3 matrix":                         small("2 3 0\n"),
		"0 x 0 matrix":                         small("0 0 0\n"),
		"element (2, 2) is 0":                  small("2 2 1\n1 1 1\n"),
		"element (1, 1) is NaN":                small("1 1 1\n1 1 NaN\n"),
		"element (1, 1) is +Inf":               small("1 1 1\n1 1 Inf\n"),
		"element (1, 1) is 1e-200":             small("1 1 1\n1 1 1e-200\n"),
		"(1, 2) is 3, but (2, 1) is 0":         small("2 2 3\n1 1 1\n2 2 1\n1 2 3\n"),
		"(1, 2) is 3, but (2, 1) is -3":        small("2 2 4\n1 1 1\n2 2 1\n1 2 3\n2 1 -3\n"),
		"element 1 of the right side is +Inf":  func(c *conjugate.Config) { small("1 1 1\n1 1 1\n")(c); c.B = []float64{math.Inf(1)} },
		"2 elements for a matrix of 1 rows":    func(c *conjugate.Config) { small("1 1 1\n1 1 1\n")(c); c.B = []float64{1, 2} },
		"element (2, 1) is NaN: want -1e+100 ": small("2 2 3\n1 1 1\n2 1 NaN\n2 2 1\n"),
	} {
		bad := poisson(5)
		change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one with %q", err, want)
		}
	}
}
