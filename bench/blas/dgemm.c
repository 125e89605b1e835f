/* dgemm prints the core type whose kernels OpenBLAS uses. Then it reads matrix orders from standard
 * input, one per line. For each order it multiplies two matrices with OpenBLAS and prints the time
 * in seconds. After a change of the order it multiplies once before it measures. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void multiply(int n, const double *a, const double *b, double *c)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

int main(void)
{
	int n, have = 0;
	double *a = NULL, *b = NULL, *c = NULL;
	printf("%s\n", openblas_get_corename());
	fflush(stdout);
	while (scanf("%d", &n) == 1 && n > 0 && n <= 16384) {
		size_t size = (size_t)n * n;
		if (n != have) {
			free(a), free(b), free(c);
			a = malloc(size * sizeof *a), b = malloc(size * sizeof *b), c = malloc(size * sizeof *c);
			if (!a || !b || !c) {
				fprintf(stderr, "dgemm: out of memory for order %d\n", n);
				return 1;
			}
			for (size_t i = 0; i < size; i++)
				a[i] = (double)(i % 97) / 97, b[i] = (double)(i % 89) / 89;
			have = n;
			multiply(n, a, b, c);
		}
		double begin = now();
		multiply(n, a, b, c);
		printf("%.9f\n", now() - begin);
		fflush(stdout);
	}
	return 0;
}
