// Package kernels contains functions for fagusc, and tests of their parallel versions, which
// cmd/fagusc.TestKernels makes.
package kernels
