// Streams: rank 0 has rewritten a region, and rank 1 gets it.
#include "operations.h"

// PUT: rank 0 puts the region at rank 1. PUT_READ: rank 1 also reads the data before it confirms.
// GET: rank 1 fetches the data with a get.
enum way { PUT, PUT_READ, GET };

// streamed measures the time from rank 0's put, or its flag for a get, until rank 1 confirms the
// data.
static uint64_t streamed(long size, long count, enum way way)
{
	uint64_t *words = symmetric(BUFFER_STREAM, size), *copy = way == GET ? buffer(BUFFER_STREAM, size) : words, took = 0;
	flag *ready = &shared->flags[0], *arrived = &shared->flags[1], *done = &shared->flags[2];
	clear_flags();
	for (long i = 1; i <= count; i++) {
		if (rank == 0) {
			rewrite(words, size, i);
			await_flag(ready, i);
			uint64_t start = now();
			if (way != GET)
				shmem_putmem(words, words, size, 1);
			raise_flag(arrived, i, 1);
			await_flag(done, i);
			took += now() - start;
			continue;
		}
		raise_flag(ready, i, 0);
		await_flag(arrived, i);
		if (way == GET)
			shmem_getmem(copy, words, size, 0);
		if (way == PUT_READ)
			check_words(copy, size, i);
		raise_flag(done, i, 0);
		if (way != PUT_READ)
			check_words(copy, size, i);
	}
	shmem_quiet();
	return took;
}

uint64_t put_stream(long size, long count) { return streamed(size, count, PUT); }

uint64_t put_stream_read(long size, long count) { return streamed(size, count, PUT_READ); }

uint64_t get_stream(long size, long count) { return streamed(size, count, GET); }
