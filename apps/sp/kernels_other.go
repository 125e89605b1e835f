//go:build !amd64

package sp

func enter(flows []flow, u, r []vector, direction int, k *factors) {
	goEnter(flows, u, r, direction, k)
}
func eliminate(to []upper, flows []flow, weights [][5]float64, r []vector, zero *vector) {
	goEliminate(to, flows, weights, r, zero)
}
func substitute(from []upper, r []vector) { goSubstitute(from, r) }
func leave(u, r []vector, direction int)  { goLeave(u, r, direction) }
