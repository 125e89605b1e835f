// Operations that move no more than a word.
#include "operations.h"

static inline void wait_for_all(void) { shmem_barrier_all(); }

#include "../barrier.h"

// sum uses two sets of words in turn: a rank that has got a sum may begin the next one while
// another rank still reads the words of the last one.
uint64_t sum(long size, long count)
{
	(void)size;
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		int at = i % 2;
		shared->sums[at].own = i + rank;
		shmem_double_sum_to_all(&shared->sums[at].all, &shared->sums[at].own, 1, 0, 0, ranks, shared->sums[at].work, shared->sync[at]);
		if (shared->sums[at].all != wanted_sum(i))
			wrong("the sum is wrong", i);
	}
	return now() - start;
}

// round_trip puts a word at rank 1, and one back. The word is the message, and tells of itself.
uint64_t round_trip(long size, long count)
{
	flag *message = &shared->flags[0];
	if (size != sizeof message->word)
		wrong("round-trip is of 8 bytes, not", size);
	clear_flags();
	uint64_t start = now();
	for (long i = 1; i <= count; i++) {
		if (rank == 0)
			shmem_long_p(&message->word, i, 1);
		await_flag(message, i);
		if (rank == 1)
			shmem_long_p(&message->word, i, 0);
	}
	uint64_t took = now() - start;
	shmem_quiet(); // rank 1 must not sleep before its last word has left
	return took;
}
