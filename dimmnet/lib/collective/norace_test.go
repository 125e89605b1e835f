//go:build !race

package collective_test

const slowdown = 1
