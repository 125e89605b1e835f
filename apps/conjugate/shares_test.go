package conjugate

import (
	"slices"
	"testing"
)

// TestCuts checks that every rank has whole batches with about as many elements, and that every
// row has an owner.
func TestCuts(t *testing.T) {
	for _, grid := range []int{1, 8, 9, 50} {
		a, _ := poisson(grid)
		for ranks := 1; ranks <= 7; ranks++ {
			ends := cuts(a, ranks)
			if len(ends) != ranks+1 || ends[0] != 0 || ends[ranks] != a.Rows || !slices.IsSorted(ends) {
				t.Fatalf("grid %d, %d ranks: bounds %d: want ascending ones from 0 to all rows", grid, ranks, ends)
			}
			for r := range ranks {
				fair, most := len(a.Values)/ranks, 5*batch+1
				if has := a.Starts[ends[r+1]] - a.Starts[ends[r]]; has > fair+most || has < fair-most {
					t.Errorf("grid %d: rank %d of %d has %d elements, want about %d", grid, r, ranks, has, fair)
				}
				if ends[r]%batch != 0 && ends[r] != a.Rows {
					t.Errorf("grid %d: rank %d begins with row %d, inside a batch", grid, r, ends[r])
				}
			}
		}
	}
}

// TestShares checks that, on Poisson's grid, a rank reads at most the batches of one row of each
// neighbour, that each row is bound once, and that a rank owns or reads every row that its part
// of the matrix refers to.
func TestShares(t *testing.T) {
	const grid, ranks = 128, 4
	a, _ := poisson(grid)
	ends := cuts(a, ranks)
	owner, readers := make([]int, a.Rows), make([][]int, a.Rows)
	bound, reads := 0, make([]int, ranks)
	for _, s := range shares(a, ends) {
		for _, rows := range s.rows {
			bound += rows[1] - rows[0]
			for i := rows[0]; i < rows[1]; i++ {
				owner[i], readers[i] = s.owner, s.readers
				for _, r := range s.readers {
					reads[r]++
				}
			}
		}
	}
	if bound != a.Rows {
		t.Errorf("%d rows are bound, want %d", bound, a.Rows)
	}
	for i := range a.Rows {
		columns, _ := a.Row(i)
		for _, j := range columns {
			if owner[j] != owner[i] && !slices.Contains(readers[j], owner[i]) {
				t.Fatalf("row %d of rank %d needs row %d of rank %d, which only the ranks %d read", i, owner[i], j, owner[j], readers[j])
			}
		}
	}
	for r, rows := range reads {
		if most := 2 * (grid + 2*batch); rows == 0 || rows > most {
			t.Errorf("rank %d reads %d rows of others, want 1 to %d", r, rows, most)
		}
	}
}
