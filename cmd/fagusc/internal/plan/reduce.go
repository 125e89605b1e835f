package plan

import (
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// Reduction combines the ranks' parts of scalars in one call or a few.
type Reduction struct {
	Means Means
	Folds []loops.Fold // of a Choice, the best first
}

// Means says by what calls ranks combine scalars.
type Means int

// The means.
const (
	Number Means = iota // a reduction of one number
	Flag                // one of a boolean
	Choice              // ranks take over the values of the rank with the best first one
	Joined              // arrays, and numbers beside them, in one reduction
)

// Reductions returns the calls that complete reductions, in order.
func Reductions(folds []loops.Fold) (all []Reduction) {
	arrays := slices.ContainsFunc(folds, func(f loops.Fold) bool { return f.Scalar.Type.Element != nil })
	joined := Reduction{Means: Joined}
	for _, f := range folds {
		switch c := f.Choice; {
		case c != nil && c.By == f.Scalar:
			chosen := slices.DeleteFunc(slices.Clone(folds), func(g loops.Fold) bool { return g.Choice != c || g.Scalar == f.Scalar })
			all = append(all, Reduction{Choice, slices.Insert(chosen, 0, f)})
		case c != nil:
		case f.Operator == "&&" || f.Operator == "||":
			all = append(all, Reduction{Flag, []loops.Fold{f}})
		case arrays:
			joined.Folds = append(joined.Folds, f)
		default:
			all = append(all, Reduction{Number, []loops.Fold{f}})
		}
	}
	if arrays {
		return slices.Insert(all, 0, joined)
	}
	return all
}
