// The library of an OpenSHMEM peer, and what its operations share.
#ifndef SANDIA
#include <mpi.h>
#endif
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "operations.h"

const struct named operations[] = {
	{"barrier", barrier, 0},
	{"meet", meet, 0},
	{"sum", sum, 0},
	{"round-trip", round_trip, 1},
	{"lock-hand-over", lock_hand_over, 1},
	{"flag-hand-over", flag_hand_over, 1},
	{"pointer-hand-over", pointer_hand_over, 1},
	{"stream", put_stream, 1},
	{"stream-read", put_stream_read, 1},
	{"get-stream", get_stream, 1},
	{"matmul", matmul, 0},
	{"product", product, 0},
	{0},
};

struct shared *shared;

void library_start(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	shmem_init();
	rank = shmem_my_pe();
	ranks = shmem_n_pes();
	shared = shmem_align(4096, sizeof *shared);
	if (!shared)
		wrong("the symmetric heap is too small; bytes wanted", sizeof *shared);
	memset(shared, 0, sizeof *shared);
	for (size_t i = 0; i < sizeof shared->sync[0] / sizeof(long); i++)
		shared->sync[0][i] = shared->sync[1][i] = SHMEM_SYNC_VALUE;
	shmem_barrier_all();
}

void library_barrier(void) { shmem_barrier_all(); }

// library_end ends the library, and the process. With Open MPI it ends the MPI library below
// OpenSHMEM and does not call shmem_finalize, as exit would: version 4.1.4 crashes there in any
// program, even in one that does nothing else.
void library_end(void)
{
#ifdef SANDIA
	shmem_finalize();
#else
	MPI_Finalize();
#endif
	_exit(0);
}

void *symmetric(int name, long bytes)
{
	static struct {
		void *memory;
		long bytes;
	} buffers[BUFFER_C + 1];
	if (buffers[name].bytes != bytes) {
		if (buffers[name].memory)
			shmem_free(buffers[name].memory);
		buffers[name].memory = shmem_align(4096, bytes);
		if (!buffers[name].memory)
			wrong("the symmetric heap is too small: set SHMEM_SYMMETRIC_SIZE; bytes wanted", bytes);
		memset(buffers[name].memory, 1, bytes);
		buffers[name].bytes = bytes;
		shmem_barrier_all();
	}
	return buffers[name].memory;
}

void clear_flags(void)
{
	memset(shared->flags, 0, sizeof shared->flags);
	memset(shared->gathered, 0, sizeof shared->gathered);
	shmem_barrier_all();
}

void raise_flag(flag *f, long value, int at)
{
	shmem_fence();
	shmem_long_p(&f->word, value, at);
}

void await_flag(flag *f, long value) { shmem_long_wait_until(&f->word, SHMEM_CMP_EQ, value); }
