// The kernel of a matrix product, with the same loops as apps/bench/kernel.go. It is not
// vectorized, because Go does not vectorize either: the benchmark compares communication, not
// kernels.
#include <string.h>

#include "peer.h"

enum { PANEL = 64 }; // rows of B that stay in a cache while all rows of A use them

__attribute__((optimize("no-tree-vectorize", "no-tree-slp-vectorize")))
void multiply(double *restrict c, const double *a, const double *b, long rows, long n)
{
	memset(c, 0, rows * n * sizeof *c);
	for (long l = 0; l < n; l += PANEL) {
		long last = l + PANEL < n ? l + PANEL : n;
		for (long i = 0; i < rows; i++) {
			double *restrict row = c + i * n;
			long k = l;
			for (; k + 4 <= last; k += 4) {
				const double *x = a + i * n + k, *b0 = b + k * n, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
				double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
				for (long j = 0; j < n; j++)
					row[j] = row[j] + x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j];
			}
			for (; k < last; k++)
				for (long j = 0; j < n; j++)
					row[j] += a[i * n + k] * b[k * n + j];
		}
	}
}
