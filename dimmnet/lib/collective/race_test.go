//go:build race

package collective_test

// slowdown divides the number of random tests.
const slowdown = 4
