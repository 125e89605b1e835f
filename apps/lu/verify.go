package lu

import (
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func (f *factors) verify() (backward float64, bits uint64, err error) {
	n := f.node
	var rest, all float64
	if err := n.During(verify.Everything(n, f.guards), func() (err error) {
		rest, all, err = f.residual(n.Err)
		bits = f.hash()
		return err
	}); err != nil {
		return 0, 0, err
	}
	largest := func(a, b float64) float64 { return max(a, b) } // NaN if either is NaN
	if rest, err = fagus.Reduce(n, rest, largest); err != nil {
		return 0, 0, err
	}
	if all, err = fagus.Reduce(n, all, largest); err != nil {
		return 0, 0, err
	}
	bits, err = fagus.Reduce(n, bits, func(a, b uint64) uint64 { return a + b })
	return f.backward(rest, all), bits, err
}
