// The matrix product C = A x B.
#include "operations.h"

// multiplied does what the function of the same name in ../mpi does: B goes to all ranks by a
// broadcast, and blocks of A and C travel by puts, each with a flag after it.
static uint64_t multiplied(long order, long count, int computing)
{
	flag *scattered = &shared->flags[0], *gathered = shared->gathered;
	long all = order * order, own = rows_of(order, rank) * order, from = first_row(order, rank) * order;
	double *b = symmetric(BUFFER_B, all * sizeof *b);
	double *a = symmetric(BUFFER_A, all * sizeof *a);
	double *c = symmetric(BUFFER_C, all * sizeof *c);
	uint64_t took = 0;
	clear_flags();
	for (long i = 1; i <= count; i++) {
		if (rank == 0) {
			set(a, all, i);
			set(b, all, i);
		}
		shmem_barrier_all(); // also keeps two broadcasts apart
		uint64_t start = now();
		for (int r = 1; rank == 0 && r < ranks; r++) {
			long first = first_row(order, r) * order;
			shmem_putmem(a + first, a + first, rows_of(order, r) * order * sizeof *a, r);
			raise_flag(scattered, i, r);
		}
		shmem_broadcast64(b, b, all, 0, 0, 0, ranks, shared->sync[0]);
		if (rank > 0)
			await_flag(scattered, i);
		uint64_t here = now();
		if (own && (a[from + own - 1] != i || b[all - 1] != i))
			wrong("A or B differs from what was written", i);
		double element = (double)order * i * i;
		if (computing)
			multiply(c + from, a + from, b, own / order, order);
		else
			set(c + from, own, element);
		uint64_t written = now();
		if (rank > 0) {
			shmem_putmem(c + from, c + from, own * sizeof *c, 0);
			raise_flag(&gathered[rank], i, 0);
		}
		for (int r = 1; rank == 0 && r < ranks; r++)
			await_flag(&gathered[r], i);
		took += now() - start - (computing ? 0 : written - here);
		for (long row = 0; rank == 0 && row < order; row++)
			if (c[row * order] != element)
				wrong("C differs from what was written", i);
	}
	shmem_quiet();
	return took;
}

uint64_t matmul(long order, long count) { return multiplied(order, count, 0); }

uint64_t product(long order, long count) { return multiplied(order, count, 1); }
