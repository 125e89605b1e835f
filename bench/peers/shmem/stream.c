// Streams: rank 0 has rewritten a region, and rank 1 gets it.
#include "operations.h"

// put_region measures the time from rank 0's put until rank 1 confirms the data. If reading is
// set, rank 1 reads the data before it confirms.
static uint64_t put_region(long size, long count, int reading)
{
	uint64_t *words = symmetric(BUFFER_STREAM, size), took = 0;
	flag *ready = &shared->flags[0], *arrived = &shared->flags[1], *done = &shared->flags[2];
	clear_flags();
	for (long i = 1; i <= count; i++) {
		if (rank == 0) {
			rewrite(words, size, i);
			await_flag(ready, i);
			uint64_t start = now();
			shmem_putmem(words, words, size, 1);
			raise_flag(arrived, i, 1);
			await_flag(done, i);
			took += now() - start;
			continue;
		}
		raise_flag(ready, i, 0);
		await_flag(arrived, i);
		if (reading)
			check_words(words, size, i);
		raise_flag(done, i, 0);
		if (!reading)
			check_words(words, size, i);
	}
	shmem_quiet();
	return took;
}

uint64_t put_stream(long size, long count) { return put_region(size, count, 0); }

uint64_t put_stream_read(long size, long count) { return put_region(size, count, 1); }

// get_stream is put_stream, but rank 1 fetches the data with a get.
uint64_t get_stream(long size, long count)
{
	uint64_t *words = symmetric(BUFFER_STREAM, size), *copy = buffer(BUFFER_STREAM, size), took = 0;
	flag *ready = &shared->flags[0], *arrived = &shared->flags[1], *done = &shared->flags[2];
	clear_flags();
	for (long i = 1; i <= count; i++) {
		if (rank == 0) {
			rewrite(words, size, i);
			await_flag(ready, i);
			uint64_t start = now();
			raise_flag(arrived, i, 1);
			await_flag(done, i);
			took += now() - start;
			continue;
		}
		raise_flag(ready, i, 0);
		await_flag(arrived, i);
		shmem_getmem(copy, words, size, 0);
		raise_flag(done, i, 0);
		check_words(copy, size, i);
	}
	shmem_quiet();
	return took;
}
