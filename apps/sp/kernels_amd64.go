package sp

import "golang.org/x/sys/cpu"

func enter(flows []flow, u, r []vector, direction int, k *factors) {
	if !cpu.X86.HasAVX2 {
		goEnter(flows, u, r, direction, k)
		return
	}
	n := len(u)
	flows, r = flows[:n], r[:n]
	enter256(n, &flows[0], &u[0], &r[0], direction, k)
}

func eliminate(to []upper, flows []flow, weights [][5]float64, r []vector, zero *vector) {
	if !cpu.X86.HasAVX2 {
		goEliminate(to, flows, weights, r, zero)
		return
	}
	n := len(r)
	to, flows, weights = to[:n+2], flows[:n+2], weights[:n]
	eliminate256(n, &to[0], &flows[0], &weights[0], zero, &r[0])
}

func substitute(from []upper, r []vector) {
	if !cpu.X86.HasAVX2 {
		goSubstitute(from, r)
		return
	}
	n := len(r)
	from = from[:n]
	substitute256(n, &from[0], &r[0])
}

func leave(u, r []vector, direction int) {
	if !cpu.X86.HasAVX2 {
		goLeave(u, r, direction)
		return
	}
	n := len(u)
	r = r[:n]
	leave256(n, &u[0], &r[0], direction)
}

//go:noescape
func enter256(n int, f *flow, u, r *vector, direction int, k *factors)

//go:noescape
func eliminate256(n int, to *upper, f *flow, w *[5]float64, zero, r *vector)

//go:noescape
func substitute256(n int, from *upper, r *vector)

//go:noescape
func leave256(n int, u, r *vector, direction int)
