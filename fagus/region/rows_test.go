package region_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// TestInRows checks that a slice of slices is copied in and out, and that Share refuses rows of
// different lengths and rows that overlap.
func TestInRows(t *testing.T) {
	for _, placement := range []fagus.Placement{fagus.PlaceAuto, fagus.PlacePrivate} {
		for want, given := range map[string]func(flat []int) [][]int{
			"":                             func(flat []int) [][]int { return [][]int{flat[0:2], flat[2:4], flat[4:6]} },
			"row 1 of a has 1 elements":    func(flat []int) [][]int { return [][]int{flat[0:2], flat[2:3]} },
			"slices a and a overlap":       func(flat []int) [][]int { return [][]int{flat[0:2], flat[3:5], flat[1:3]} },
			"slices a and b overlap":       func(flat []int) [][]int { return [][]int{{1, 2}, {3, 4}} },
			"-1 rows of 3 elements in own": func(flat []int) [][]int { return [][]int{{1, 2}} },
		} {
			flat := []int{1, 2, 3, 4, 5, 6}
			rows := given(flat)
			other := []int{7}
			if strings.HasPrefix(want, "slices a and b") {
				other = rows[1][1:]
			}
			_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Placement: placement}, func(n *fagus.Node) error {
				p := region.NewProgram(n)
				a, b := rows, other
				region.InRows(p, "a", &a)
				region.In(p, "b", &b)
				count := len(a)
				if strings.HasPrefix(want, "-1") {
					count = -1
				}
				own := region.MakeRows[int](p, "own", count, 3)
				p.Begin("a", "b")
				step := p.Step()
				p.Writes(step, 0, 0).Add(0, len(a)*region.Columns(a))
				p.Overwrites(step, 0, 2).Add(0, len(own)*3)
				if err := p.Share("a"); err != nil {
					return err
				}
				if err := p.Enter(step); err != nil {
					return err
				}
				for i, row := range a {
					own[i][2] = b[0]
					row[1] += own[i][2]
				}
				if err := p.Leave(step); err != nil {
					return err
				}
				return p.Finish()
			})
			switch {
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("rows %v: error %v, want %q", rows, err, want)
			case want == "" && (err != nil || !slices.Equal(flat, []int{1, 9, 3, 11, 5, 13})):
				t.Errorf("rows: error %v, result %v", err, flat)
			}
		}
	}
}
