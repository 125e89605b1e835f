//go:build !amd64

package mg

func add(to, a, b []float64) { goAdd(to, a, b) }
func around(near, far, next, below, above, before, behind, here, last []float64) {
	goAround(near, far, next, below, above, before, behind, here, last)
}
func residual(to, from, centre, near, far []float64)       { goResidual(to, from, centre, near, far) }
func (s *smoother) smooth(to, centre, near, far []float64) { s.goSmooth(to, centre, near, far) }
func restrict(to, centre, near, far []float64)             { goRestrict(to, centre, near, far) }
func sum(to, a, b, c, d []float64)                         { goSum(to, a, b, c, d) }
func prolong(to, sum []float64)                            { goProlong(to, sum) }
