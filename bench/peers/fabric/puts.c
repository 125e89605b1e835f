// Operations by one-sided writes into the memory of the other rank, which polls it.
#include "fabric.h"

enum { SMALL = 8, FLAG = 64 };

static void await_word(struct region *r, long at, uint64_t value)
{
	volatile uint64_t *word = (volatile uint64_t *)((char *)memory(r) + at);
	while (*word != value)
		progress();
}

// put_round_trip puts a word at rank 1 and one back. Each rank has a word to put from, and the
// peer's word lands beside it.
uint64_t put_round_trip(long size, long count)
{
	(void)size;
	struct region *r = region(BUFFER_C, 4 * FLAG);
	uint64_t *words = memory(r);
	static uint64_t round; // the same at both ranks
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		round++;
		for (int turn = 0; turn < 2; turn++) {
			if (rank == turn) {
				flush();
				words[rank * FLAG / 8] = round;
				put(r, rank * FLAG, SMALL);
			} else {
				await_word(r, (1 - rank) * FLAG, round);
			}
		}
	}
	uint64_t took = now() - start;
	flush();
	return took;
}

// put_stream is the time from rank 0's put until rank 0 knows that all bytes have landed.
uint64_t put_stream(long size, long count)
{
	struct region *all = region(BUFFER_STREAM, size), *flags = region(BUFFER_C, 4 * FLAG);
	uint64_t *words = memory(flags), took = 0;
	static uint64_t round;
	for (long i = 0; i < count; i++) {
		library_barrier();
		round++;
		if (rank == 0) {
			rewrite(memory(all), size, i);
			uint64_t start = now();
			put(all, 0, size);
			flush();
			took += now() - start;
			words[2 * FLAG / 8] = round;
			put(flags, 2 * FLAG, SMALL);
			flush();
			continue;
		}
		await_word(flags, 2 * FLAG, round);
		check_words(memory(all), size, i);
	}
	return took;
}
