// Operations by messages, as fi_pingpong sends them.
#include "fabric.h"

enum { SMALL = 8 };

uint64_t barrier(long size, long count)
{
	(void)size;
	struct region *in = region(BUFFER_A, SMALL), *out = region(BUFFER_B, SMALL);
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		post_receive(in, SMALL);
		transmit(out, SMALL);
		receive();
	}
	return now() - start;
}

// round_trip sends a message to rank 1 and one back. Each receive is posted before the message that
// it answers.
uint64_t round_trip(long size, long count)
{
	struct region *in = region(BUFFER_A, size), *out = region(BUFFER_B, size);
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		post_receive(in, size);
		if (rank == 0)
			transmit(out, size);
		receive();
		if (rank == 1)
			transmit(out, size);
	}
	return now() - start;
}

// hand_over is round_trip with one buffer, which each rank reads and changes before it sends it.
uint64_t hand_over(long size, long count)
{
	struct region *page = region(BUFFER_PAGE, size);
	unsigned char *data = memory(page);
	for (long i = 0; i < size; i++)
		data[i] = 0;
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		for (int turn = 0; turn < 2; turn++) {
			if (rank == turn) {
				if (change(data, size) != handed_over(i))
					wrong("the page is not the one handed over", i);
				transmit(page, size);
			} else {
				post_receive(page, size);
				receive();
			}
		}
	}
	return now() - start;
}

// stream is the time from rank 0's send until rank 1 confirms the data. Rank 1 posts its receive
// before that.
uint64_t stream(long size, long count)
{
	struct region *all = region(BUFFER_STREAM, size), *in = region(BUFFER_A, SMALL), *out = region(BUFFER_B, SMALL);
	uint64_t took = 0;
	for (long i = 0; i < count; i++) {
		if (rank == 0) {
			rewrite(memory(all), size, i);
			post_receive(in, SMALL);
			receive();
			post_receive(in, SMALL);
			uint64_t start = now();
			transmit(all, size);
			receive();
			took += now() - start;
			continue;
		}
		post_receive(all, size);
		transmit(out, SMALL);
		receive();
		transmit(out, SMALL);
		check_words(memory(all), size, i);
	}
	return took;
}
