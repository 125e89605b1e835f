package nstream

import "golang.org/x/sys/cpu"

func triad(a, b, c []float64) {
	n := 0
	if b, c = b[:len(a)], c[:len(a)]; len(a) >= 8 && cpu.X86.HasAVX2 {
		n = len(a) &^ 7
		triad256(n, &a[0], &b[0], &c[0])
	}
	goTriad(a[n:], b[n:], c[n:])
}

//go:noescape
func triad256(n int, a, b, c *float64)
