package agreement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Declarations compares what all ranks have declared. The zero value has compared nothing.
type Declarations struct {
	agreed []uint32 // by rank: how many declarations are known to be equal
}

// Check compares the declarations of all ranks with those of rank own. It skips ranks with more
// declarations than own, until own has made as many. same reports that all ranks have made equally
// many.
func (d *Declarations) Check(space *consistency.Space, own dimmnet.Rank, lists []syncvar.List) (same bool, err error) {
	same = true
	for i := range lists {
		r, l := dimmnet.Rank(i), &lists[i]
		if r == own {
			continue
		}
		same = same && l.Declared == uint32(space.Declared())
		if l.Declared > uint32(space.Declared()) {
			continue
		}
		if err := d.CheckOne(space, own, r, l); err != nil {
			return same, err
		}
	}
	return same, nil
}

// CheckOne compares the declarations of rank r with the first ones of own, which has at least as
// many.
func (d *Declarations) CheckOne(space *consistency.Space, own, r dimmnet.Rank, l *syncvar.List) error {
	for len(d.agreed) <= int(r) {
		d.agreed = append(d.agreed, 0)
	}
	if err := space.CheckSame(own, r, d.agreed[r], l.Declared, l.Digest); err != nil {
		return fmt.Errorf("phase: %w", err)
	}
	d.agreed[r] = l.Declared
	return nil
}

// CheckCounts returns an error if ranks in the same call have made different numbers of
// declarations.
func CheckCounts(space *consistency.Space, own dimmnet.Rank, lists []syncvar.List) error {
	for r := range lists {
		if err := space.CheckCount(own, dimmnet.Rank(r), lists[r].Declared); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
	}
	return nil
}
