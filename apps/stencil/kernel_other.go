//go:build !amd64

package stencil

func add(out, up, down, left, right []float64, weight float64) {
	goAdd(out, up, down, left, right, weight)
}

// grow computes a row of the next input. to and from may be the same memory.
func grow(to, from []float64) { goGrow(to, from) }
