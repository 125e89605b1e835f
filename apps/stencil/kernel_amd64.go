package stencil

import "golang.org/x/sys/cpu"

// whole returns how many of n numbers the kernels in assembly compute.
func whole(n int) int {
	if !cpu.X86.HasAVX2 {
		return 0
	}
	return n &^ 7
}

func add(out, up, down, left, right []float64, weight float64) {
	n := whole(len(out))
	if n > 0 {
		up, down, left, right = up[:len(out)], down[:len(out)], left[:len(out)], right[:len(out)]
		add256(n, &out[0], &up[0], &down[0], &left[0], &right[0], weight)
	}
	goAdd(out[n:], up[n:], down[n:], left[n:], right[n:], weight)
}

// grow computes a row of the next input. to and from may be the same memory.
func grow(to, from []float64) {
	n := whole(len(to))
	if n > 0 {
		from = from[:len(to)]
		grow256(n, &to[0], &from[0])
	}
	goGrow(to[n:], from[n:])
}

//go:noescape
func add256(n int, out, up, down, left, right *float64, weight float64)

//go:noescape
func grow256(n int, to, from *float64)
