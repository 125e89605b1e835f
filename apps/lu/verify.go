package lu

import (
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// found is a rank's result of verification.
type found struct {
	Rest, All float64 // see residual
	Bits      uint64
}

func (f *factors) verify() (backward float64, bits uint64, err error) {
	n := f.node
	all, err := parts.NewVectors[found](n, "verification", 1)
	if err != nil {
		return 0, 0, err
	}
	x := make([]found, 1)
	if err := n.During(verify.Everything(n, f.guards), func() (err error) {
		x[0].Rest, x[0].All, err = f.residual(n.Err)
		x[0].Bits = f.hash()
		return err
	}); err != nil {
		return 0, 0, err
	}
	err = all.Reduce(x, func(a, b found) found { // max is NaN if a or b is NaN
		return found{max(a.Rest, b.Rest), max(a.All, b.All), a.Bits + b.Bits}
	})
	return f.backward(x[0].Rest, x[0].All), x[0].Bits, err
}
