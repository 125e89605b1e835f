// Memory, and what is done with it between two communications. fagus's side does the same.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

void *room(int name, long bytes)
{
	static struct {
		void *memory;
		long bytes;
	} rooms[ROOM_C + 1];
	if (rooms[name].bytes != bytes) {
		free(rooms[name].memory);
		if (posix_memalign(&rooms[name].memory, 4096, bytes) != 0)
			wrong("no memory", bytes);
		memset(rooms[name].memory, 1, bytes);
		rooms[name].bytes = bytes;
	}
	return rooms[name].memory;
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
	unsigned char b = round % 2 ? masks[0] ^ masks[1] : 0; // two whole rounds undo each other
	return rank ? b ^ masks[0] : b;
}

void rewrite(uint64_t *words, long bytes, uint64_t round)
{
	for (long i = 0; i < bytes / 8; i++)
		words[i] = round;
}

void look(const uint64_t *words, long bytes, uint64_t round)
{
	uint64_t differ = 0;
	for (long i = 0; i < bytes / 8; i += 8)
		differ |= words[i] ^ round;
	if (differ)
		wrong("what was read is not what was written", round);
}
