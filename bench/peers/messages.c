// Operations made of messages and collective calls.
#include <mpi.h>
#include <stddef.h>

#include "peer.h"

uint64_t barrier(long size, long count)
{
	(void)size;
	uint64_t start = now();
	for (long i = 0; i < count; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	return now() - start;
}

uint64_t sum(long size, long count)
{
	(void)size;
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		double own = i + rank, all;
		MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (all != 2 * i + 1)
			wrong("a wrong sum", i);
	}
	return now() - start;
}

// A message there and one back.
uint64_t round_trip(long size, long count)
{
	char *data = room(ROOM_PAGE, size);
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

// Rank 0 rewrites all and sends it; the time is from there until rank 1 says that it has it. Rank
// 1 waits for it in MPI already, so that nothing comes unexpected.
static uint64_t streamed(long size, long count, int reading)
{
	uint64_t *words = room(ROOM_STREAM, size), took = 0;
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
			look(words, size, i);
		MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		if (!reading)
			look(words, size, i);
	}
	return took;
}

uint64_t stream(long size, long count) { return streamed(size, count, 0); }

uint64_t stream_read(long size, long count) { return streamed(size, count, 1); }
