// Package mpimatmul multiplies matrices as apps/matmul does, with messages in the place of shared arrays: what the two cost on the same NIC can be
// compared.
//
// Rank 0 has A and B. It sends every rank a block of rows of A, and B to all (a broadcast); each multiplies, and sends its rows of C back.
package mpimatmul
