// The matrix product C = A x B.
#include <mpi.h>

#include "operations.h"

// multiplied sends B and a block of rows of A from rank 0 to each rank, and blocks of C back. If
// computing is set, the ranks compute C, and the result is the whole time at rank 0. If not,
// they write expected values to C, and the result excludes the time in which rank 0 does so; the
// other ranks write as many rows at the same time.
static uint64_t multiplied(long order, long count, int computing)
{
	static int share[MOST_RANKS], first[MOST_RANKS]; // in elements
	for (int r = 0; r < ranks; r++) {
		share[r] = rows_of(order, r) * order;
		first[r] = first_row(order, r) * order;
	}
	long all = order * order, own = share[rank];
	double *b = buffer(BUFFER_B, all * sizeof *b);
	double *a = buffer(BUFFER_A, (rank ? own : all) * sizeof *a);
	double *c = buffer(BUFFER_C, (rank ? own : all) * sizeof *c);
	void *in_place = MPI_IN_PLACE;
	uint64_t took = 0;
	for (long i = 0; i < count; i++) {
		if (rank == 0) {
			set(a, all, i);
			set(b, all, i);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		uint64_t start = now();
		MPI_Bcast(b, all, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		MPI_Scatterv(a, share, first, MPI_DOUBLE, rank ? a : in_place, own, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		uint64_t here = now();
		if (own && (a[own - 1] != i || b[all - 1] != i))
			wrong("A or B differs from what was written", i);
		double element = (double)order * i * i;
		if (computing)
			multiply(c, a, b, own / order, order);
		else
			set(c, own, element);
		uint64_t written = now();
		MPI_Gatherv(rank ? c : in_place, own, MPI_DOUBLE, c, share, first, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		took += now() - start - (computing ? 0 : written - here);
		for (long row = 0; rank == 0 && row < order; row++)
			if (c[row * order] != element)
				wrong("C differs from what was written", i);
	}
	return took;
}

uint64_t matmul(long order, long count) { return multiplied(order, count, 0); }

uint64_t product(long order, long count) { return multiplied(order, count, 1); }
