package bt

import "golang.org/x/sys/cpu"

func jacobians(after, here, before *block, u *vector, k *factors) {
	if !cpu.X86.HasAVX2 {
		goJacobians(after, here, before, u, k)
		return
	}
	jacobians256(after, here, before, u, k)
}

func eliminate(a, b, before, c *block, rBefore, r *vector) {
	if !cpu.X86.HasAVX2 {
		goEliminate(a, b, before, c, rBefore, r)
		return
	}
	eliminate256(a, b, before, c, rBefore, r)
}

func substitute(c []block, r []vector) {
	if !cpu.X86.HasAVX2 {
		goSubstitute(c, r)
		return
	}
	c = c[:len(r)]
	substitute256(len(r), &c[0], &r[0])
}

//go:noescape
func jacobians256(after, here, before *block, u *vector, k *factors)

//go:noescape
func eliminate256(a, b, before, c *block, rBefore, r *vector)

//go:noescape
func substitute256(n int, c *block, r *vector)
