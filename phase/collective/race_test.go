//go:build race

package collective_test

// slowdown says how much rarer the random tests are.
const slowdown = 4
