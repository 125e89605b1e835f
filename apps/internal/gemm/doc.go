// Package gemm multiplies dense matrices on one processor.
//
//	var p gemm.Product
//	p.Add(c, ldc, a, lda, rows, b, k, n, nil) // C += A x B
//
// Every element of C is a chain of fused multiply-adds in the order of k, which starts with the
// old value of C:
//
//	c = fma(a[i][k-1], b[k-1][j], ... fma(a[i][1], b[1][j], fma(a[i][0], b[0][j], c)))
//
// So the result has the same bits however the rows are divided, and whichever kernel computes it.
// There are kernels in assembly for AVX-512 and AVX2, and a slow one in Go. [Kernel] names the
// one in use.
//
// # Blocking
//
// A is packed in panels of 8 rows and B in panels of 16 columns, k by k, so that the kernel reads
// both sequentially (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication",
// 2008). The kernel keeps 8 x 16 elements of C in registers. A is cut into blocks of 256 rows and
// 512 k, which stay in the L2 cache: with 256 k the kernel loads and stores C twice as often, and
// order 4096 takes 4 % longer (BenchmarkAdd, Zen 4). One block of B of 512 k and 1024 columns at a
// time is packed, for all rows: so those of two processes are in one L3 cache, and little memory is
// touched for the first time: with all columns order 4096 on two processes takes 5 % longer
// (Zen 5). The kernel prefetches the next panel and the next tile of C.
package gemm
