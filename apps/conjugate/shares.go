package conjugate

import (
	"fmt"
	"sort"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
)

// cuts returns the bounds of the ranks' rows: rank r has the rows cuts[r] to cuts[r+1]-1. All
// ranks have whole batches and about as many matrix elements. If there are few rows some ranks
// have no row.
func cuts(a *matrix.Sparse, ranks int) (ends []int) {
	batches := (a.Rows + batch - 1) / batch
	for r := range ranks + 1 {
		fair := len(a.Values) * r / ranks
		at := sort.Search(batches, func(i int) bool { return a.Starts[i*batch] >= fair })
		ends = append(ends, min(at*batch, a.Rows))
	}
	return ends
}

// share is a set of rows that have the same owner and are read by the same other ranks.
type share struct {
	owner   int
	readers []int // in ascending order, without the owner
	rows    [][2]int
}

func (s *share) name() string { return fmt.Sprintf("rows of %d for %v", s.owner, s.readers) }

// shares groups the batches of rows by owner and readers. ends is the result of cuts.
func shares(a *matrix.Sparse, ends []int) (all []*share) {
	readers := make([][]int, (a.Rows+batch-1)/batch) // by batch: the ranks that read it
	for r := range len(ends) - 1 {
		for _, j := range a.Columns[a.Starts[ends[r]]:a.Starts[ends[r+1]]] {
			to := &readers[j/batch]
			if own := int(j) >= ends[r] && int(j) < ends[r+1]; !own && (len(*to) == 0 || (*to)[len(*to)-1] != r) {
				*to = append(*to, r)
			}
		}
	}
	known := make(map[string]*share)
	owner := 0
	for i, others := range readers {
		lo, hi := i*batch, min((i+1)*batch, a.Rows)
		for lo >= ends[owner+1] {
			owner++
		}
		s := &share{owner: owner, readers: others}
		if old := known[s.name()]; old != nil {
			s = old
		} else {
			known[s.name()] = s
			all = append(all, s)
		}
		if last := len(s.rows) - 1; last >= 0 && s.rows[last][1] == lo {
			s.rows[last][1] = hi
		} else {
			s.rows = append(s.rows, [2]int{lo, hi})
		}
	}
	return all
}
