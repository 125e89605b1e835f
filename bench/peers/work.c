// Clock, buffers, and the work on buffers between two communications. Fagus does the same work in
// its own measurements.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

int rank, ranks;

uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void wrong(const char *what, long round)
{
	fprintf(stderr, "peer: rank %d: %s, in round %ld\n", rank, what, round);
	_exit(1);
}

void *buffer(int name, long bytes)
{
	static struct {
		void *memory;
		long bytes;
	} buffers[BUFFER_C + 1];
	if (buffers[name].bytes != bytes) {
		free(buffers[name].memory);
		if (posix_memalign(&buffers[name].memory, 4096, bytes) != 0)
			wrong("out of memory", bytes);
		memset(buffers[name].memory, 1, bytes);
		buffers[name].bytes = bytes;
	}
	return buffers[name].memory;
}

static const unsigned char masks[2] = {0x5a, 0x3c};

unsigned char change(unsigned char *data, long bytes)
{
	unsigned char last = data[bytes - 1], mask = masks[rank];
	for (long i = 0; i < bytes; i++)
		data[i] ^= mask;
	return last;
}

unsigned char handed_over(long round)
{
	unsigned char b = round % 2 ? masks[0] ^ masks[1] : 0; // two rounds cancel each other
	return rank ? b ^ masks[0] : b;
}

uint64_t compute(long steps)
{
	uint64_t x = rank;
	for (long i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

double wanted_sum(long round) { return (double)ranks * round + ranks * (ranks - 1) / 2; }

long first_row(long order, int r) { return order * r / ranks; }

long rows_of(long order, int r) { return first_row(order, r + 1) - first_row(order, r); }

void set(double *x, long n, double value)
{
	for (long i = 0; i < n; i++)
		x[i] = value;
}

void rewrite(uint64_t *words, long bytes, uint64_t round)
{
	for (long i = 0; i < bytes / 8; i++)
		words[i] = round;
}

void check_words(const uint64_t *words, long bytes, uint64_t round)
{
	uint64_t differ = 0;
	for (long i = 0; i < bytes / 8; i += 8)
		differ |= words[i] ^ round;
	if (differ)
		wrong("the data read is not the data written", round);
}
