// Package mpimatmul multiplies matrices as apps/matmul does, but with messages in place of
// shared arrays, to compare the cost of both on the same NIC.
//
// Rank 0 has A and B. It sends every rank a block of rows of A and broadcasts B. Each rank
// multiplies and sends its rows of C back.
package mpimatmul
