package sp

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/npb/adi"
)

const root = math.Sqrt2 / 2 // NPB's bt

// sound returns the speed of sound, the velocity, the inverse of the density, and the kinetic
// energy by mass, of a point of a line.
func sound(u *vector, l int) (speed float64, v [3]float64, inverse, q float64) {
	inverse = 1 / u[0][l]
	v = [3]float64{u[1][l] * inverse, u[2][l] * inverse, u[3][l] * inverse}
	square := 0.5 * (u[1][l]*u[1][l] + u[2][l]*u[2][l] + u[3][l]*u[3][l]) * inverse
	return math.Sqrt(adi.C1 * adi.C2 * inverse * (u[4][l] - square)), v, inverse, square * inverse
}

// goEnter computes what the systems in a direction depend on. Before x it turns the right side into
// characteristic variables.
//
// NPB's viscosity is the maximum of four, all of which have the same diffusion: this is the one
// with the largest factor.
func goEnter(flows []flow, u, r []vector, direction int, k *factors) {
	for i := range u {
		f, r := &flows[i], &r[i]
		for l := range 4 {
			speed, v, inverse, q := sound(&u[i], l)
			f[0][l] = k.first * v[direction]
			f[1][l] = k.second * (k.diffusion + k.viscosity*inverse)
			f[2][l] = k.first * speed
			if direction != 0 {
				continue
			}
			r1, r2, r3, r4, r5 := r[0][l], r[1][l], r[2][l], r[3][l], r[4][l]
			t1 := adi.C2 / (speed * speed) * (q*r1 - v[0]*r2 - v[1]*r3 - v[2]*r4 + r5)
			t2 := root * inverse * (v[0]*r1 - r2)
			t3 := root * inverse * speed * t1
			r[0][l], r[1][l], r[2][l], r[3][l], r[4][l] = r1-t1, inverse*(r4-v[2]*r1), inverse*(v[1]*r1-r3), t3-t2, t2+t3
		}
	}
}

// goEliminate eliminates the diagonals below the main one, from the first point to the last. The
// first and the last flow are those of the ends, and two points that are zero precede the others in
// to.
func goEliminate(to []upper, flows []flow, weights [][5]float64, r []vector, zero *vector) {
	r1, r2 := zero, zero // of the points before
	for i := range r {
		before, here, after, w, r := &flows[i], &flows[i+1], &flows[i+2], &weights[i], &r[i]
		u2, u1, u := &to[i], &to[i+1], &to[i+2]
		for l := range 4 {
			lower := w[1] - before[0][l] - before[1][l]
			middle := w[2] + 1 + 2*here[1][l]
			higher := w[3] + after[0][l] - after[1][l]
			sounds := [3][2]float64{{}, {before[2][l], after[2][l]}, {-before[2][l], -after[2][l]}}
			for s, components := range [3][2]int{{0, 3}, {3, 4}, {4, 5}} {
				l2 := lower - sounds[s][0] - w[0]*u2[s][0][l]
				f := 1 / (middle - w[0]*u2[s][1][l] - l2*u1[s][0][l])
				u[s][0][l] = f * (higher + sounds[s][1] - l2*u1[s][1][l])
				u[s][1][l] = f * w[4]
				for m := components[0]; m < components[1]; m++ {
					r[m][l] = f * (r[m][l] - w[0]*r2[m][l] - l2*r1[m][l])
				}
			}
		}
		r1, r2 = r, r1
	}
}

// goSubstitute substitutes back, from the last point to the first.
func goSubstitute(from []upper, r []vector) {
	var zero vector
	r1, r2 := &zero, &zero // of the points after
	for i := len(r) - 1; i >= 0; i-- {
		u, r := &from[i], &r[i]
		for m, s := range [5]int{0, 0, 0, 1, 2} {
			for l := range 4 {
				r[m][l] = r[m][l] - u[s][0][l]*r1[m][l] - u[s][1][l]*r2[m][l]
			}
		}
		r1, r2 = r, r1
	}
}

// goLeave turns the solutions in a direction into the characteristic variables of the next, and
// after z into unknowns.
func goLeave(u, r []vector, direction int) {
	for i := range u {
		r := &r[i]
		for l := range 4 {
			r1, r2, r3, r4, r5 := r[0][l], r[1][l], r[2][l], r[3][l], r[4][l]
			t2, difference := 0.5*(r4+r5), root*(r4-r5)
			switch direction {
			case 0:
				t1 := root * r3
				r[0][l], r[1][l], r[2][l], r[3][l], r[4][l] = -r2, r1, difference, t2-t1, t1+t2
			case 1:
				t1 := root * r1
				r[0][l], r[1][l], r[2][l], r[3][l], r[4][l] = difference, -r3, r2, t2-t1, t1+t2
			default:
				speed, v, _, q := sound(&u[i], l)
				density := u[i][0][l]
				t1 := root * density / speed * (r4 + r5)
				t2, t3 := r3+t1, root*density*(r4-r5)
				r[0][l], r[1][l], r[2][l], r[3][l] = t2, v[0]*t2-density*r2, v[1]*t2+density*r1, v[2]*t2+t3
				r[4][l] = density*(v[1]*r1-v[0]*r2) + q*t2 + 2.5*(speed*speed)*t1 + v[2]*t3
			}
		}
	}
}
