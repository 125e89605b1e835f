package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

// TestDifferences compares what two versions, a and b, print in two runs each.
func TestDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		a, b [2]string // lines, with spaces between
		seed uint64
		want []string
	}{
		"the same":         {[2]string{"x y", "x y"}, [2]string{"x y", "x y"}, 0, nil},
		"another order":    {[2]string{"x y", "y x"}, [2]string{"x y", "y x"}, 0, nil},
		"another line":     {[2]string{"x y", "x y"}, [2]string{"x z", "x z"}, 0, []string{`b and a print different lines: b prints "z", and a "y"`}},
		"one more":         {[2]string{"x", "x"}, [2]string{"x x", "x x"}, 0, []string{`b and a print different lines: b prints "x", and a does not`}},
		"one less":         {[2]string{"x y", "x y"}, [2]string{"y", "y"}, 0, []string{`b and a print different lines: a prints "x", and b does not`}},
		"sometimes":        {[2]string{"x", "x"}, [2]string{"x", "z"}, 0, []string{`b and a print different lines: b prints "z", and a "x"`}},
		"unsteady":         {[2]string{"x", "y"}, [2]string{"x", "z"}, 0, []string{`the program does not print the same in every run, so whether its versions agree is unknown: run 2 of a prints "y", and run 1 "x"`}},
		"as the seed says": {[2]string{"x", "y"}, [2]string{"x", "y"}, 3, nil},
	} {
		runs := func(texts [2]string) (runs []*experiment.Run) {
			for _, text := range texts {
				runs = append(runs, &experiment.Run{Lines: strings.Fields(text)})
			}
			return runs
		}
		all := &comparison{Command: []string{"./app"}, Sizes: []int{1}, SizeNames: []string{""}, Results: []compared{{Version: "a", N: 1, Runs: runs(c.a)}, {Version: "b", N: 1, Runs: runs(c.b)}}}
		all.Seed = c.seed
		if got := all.differences(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		all.Results[0].Runs[0].Cut, all.Results[0].Runs[1].Cut = true, true
		if got := all.differences(); got != nil {
			t.Errorf("%s, not kept: %q", name, got)
		}
	}
}
