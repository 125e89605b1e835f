// Operations that use messages and collective calls.
#include <mpi.h>
#include <stddef.h>

#include "operations.h"

static inline void wait_for_all(void) { MPI_Barrier(MPI_COMM_WORLD); }

#include "../barrier.h"

uint64_t sum(long size, long count)
{
	(void)size;
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		double own = i + rank, all;
		MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (all != wanted_sum(i))
			wrong("the sum is wrong", i);
	}
	return now() - start;
}

// round_trip sends a message to rank 1 and one back.
uint64_t round_trip(long size, long count)
{
	char *data = buffer(BUFFER_PAGE, size);
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		if (rank == 0)
			MPI_Send(data, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(data, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(data, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
	return now() - start;
}

// streamed measures the time from rank 0's send until rank 1 confirms the data. Rank 1 posts its
// receive before that, so that no message arrives unexpectedly. If reading is set, rank 1 reads
// the data before it confirms.
static uint64_t streamed(long size, long count, int reading)
{
	uint64_t *words = buffer(BUFFER_STREAM, size), took = 0;
	for (long i = 0; i < count; i++) {
		if (rank == 0) {
			rewrite(words, size, i);
			MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			uint64_t start = now();
			MPI_Send(words, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
			MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			took += now() - start;
			continue;
		}
		MPI_Request request;
		MPI_Irecv(words, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
		MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (reading)
			check_words(words, size, i);
		MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		if (!reading)
			check_words(words, size, i);
	}
	return took;
}

uint64_t stream(long size, long count) { return streamed(size, count, 0); }

uint64_t stream_read(long size, long count) { return streamed(size, count, 1); }
