package kernels

import "math"

// Histogram adds to count how many of the values there are of each.
//
//fagus:parallel
func Histogram(values []int32, count []int64) {
	for _, v := range values {
		count[v]++
	}
}

// Gather makes to[i] what from has at index[i].
//
//fagus:parallel
func Gather(to, from []float64, index []int) {
	for i, k := range index {
		to[i] = from[k]
	}
}

// Body is one with a mass.
type Body struct {
	X, Y, Z, Mass float64
}

// Forces makes force what all bodies do to each.
//
//fagus:parallel
func Forces(bodies []Body, force [][3]float64) {
	for i := range bodies {
		var f [3]float64
		for j := range bodies {
			if i == j {
				continue
			}
			dx, dy, dz := bodies[j].X-bodies[i].X, bodies[j].Y-bodies[i].Y, bodies[j].Z-bodies[i].Z
			r := dx*dx + dy*dy + dz*dz + 1e-9
			s := bodies[j].Mass / (r * math.Sqrt(r))
			f[0] += s * dx
			f[1] += s * dy
			f[2] += s * dz
		}
		force[i] = f
	}
}

// Dot is the scalar product of a and b.
//
//fagus:parallel
func Dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// PrefixSum makes of every element the sum of all up to it.
//
//fagus:parallel
func PrefixSum(a []int64) {
	blocks := (len(a) + 63) / 64
	offset := make([]int64, blocks)
	for b := 0; b < blocks; b++ {
		for i := 64*b + 1; i < min(64*b+64, len(a)); i++ {
			a[i] += a[i-1]
		}
	}
	//fagus:serial
	for b := 1; b < blocks; b++ {
		offset[b] = offset[b-1] + a[64*b-1]
	}
	for b := 1; b < blocks; b++ {
		for i := 64 * b; i < min(64*b+64, len(a)); i++ {
			a[i] += offset[b]
		}
	}
}
