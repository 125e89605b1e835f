// Package gemm multiplies dense matrices on one processor.
//
//	b := gemm.Pack(bElements, k, n)       // once, for all rows of A
//	b.AddTo(c, ldc, a, lda, rows)         // C += A x B
//
// Every element of C is a chain of fused multiply-adds in the order of k, which begins with what C
// holds:
//
//	c = fma(a[i][k-1], b[k-1][j], ... fma(a[i][1], b[1][j], fma(a[i][0], b[0][j], c)))
//
// So the result has the same bits whatever the rows are cut into, and whatever kernel computes it: of
// AVX-512 or AVX2 in assembly, as the processor has, or in Go, which is slow. [Kernel] names it.
//
// # How
//
// A is packed in panels of 8 rows and B in panels of 16 columns, k by k, so that the kernel reads both
// in order (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008). The kernel keeps
// 8 x 16 elements of C in registers. B is cut at every 256 k, of which a panel of 32 KiB stays in the L1 cache, and A
// at 256 rows, which stay in L2. Whoever reads a panel or a tile of C next finds it in the cache: the kernel fetches them
// beforehand.
package gemm
