// Package rows contains ten of the kernels of package polybench with matrices as slices of rows,
// [][]float64, each row of the same length. The order of all operations is the same.
package rows
