//go:build !amd64

package nstream

func triad(a, b, c []float64) { goTriad(a, b, c) }
