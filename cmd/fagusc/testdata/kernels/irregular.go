package kernels

import "math"

// Histogram counts the occurrences of each value: count[v] grows by one for each v in values.
//
//fagus:parallel
func Histogram(values []int32, count []int64) {
	for _, v := range values {
		count[v]++
	}
}

// Gather sets to[i] = from[index[i]].
//
//fagus:parallel
func Gather(to, from []float64, index []int) {
	for i, k := range index {
		to[i] = from[k]
	}
}

// Body is a point mass.
type Body struct {
	X, Y, Z, Mass float64
}

// Forces sets force[i] to the force of all bodies on body i.
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

// Dot returns the scalar product of a and b.
//
//fagus:parallel
func Dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// PrefixSum replaces every element by the sum of all elements up to it.
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
