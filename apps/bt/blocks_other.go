//go:build !amd64

package bt

func jacobians(after, here, before *block, u *vector, k *factors) {
	goJacobians(after, here, before, u, k)
}
func eliminate(a, b, before, c *block, rBefore, r *vector) { goEliminate(a, b, before, c, rBefore, r) }
func substitute(c []block, r []vector)                     { goSubstitute(c, r) }
