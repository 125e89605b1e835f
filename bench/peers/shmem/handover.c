// Hand-overs: the ranks take turns. A flag passes the turn, so that no rank waits for a lock.
#include <string.h>

#include "operations.h"

static void await_turn(long round) { await_flag(&shared->flags[0], 2 * round + rank); }

static void *start_page(long size)
{
	unsigned char *page = symmetric(BUFFER_PAGE, size);
	memset(page, 0, size);
	clear_flags();
	return page;
}

// pass_turn ends the turn of this rank in a round, and waits for the other rank's turn to end if
// this is rank 0.
static void pass_turn(long round)
{
	raise_flag(&shared->flags[0], 2 * round + rank + 1, 1 - rank);
	if (rank == 0)
		await_turn(round + 1);
}

// in_turns lets the ranks change the page in turn, each by the function turn, which returns what
// change returns.
static uint64_t in_turns(unsigned char *page, long size, long count, unsigned char turn(unsigned char *page, long size))
{
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		if (rank == 1)
			await_turn(i);
		unsigned char before = turn(page, size);
		pass_turn(i);
		if (before != handed_over(i))
			wrong("the page was not handed over", i);
	}
	uint64_t took = now() - start;
	shmem_quiet();
	return took;
}

static unsigned char change_locked(unsigned char *page, long size)
{
	shmem_set_lock(&shared->lock);
	unsigned char before = change(page, size);
	shmem_clear_lock(&shared->lock);
	return before;
}

static unsigned char change_remotely(unsigned char *page, long size)
{
	if (rank == 0)
		return change_locked(page, size);
	unsigned char *copy = buffer(BUFFER_PAGE, size);
	shmem_set_lock(&shared->lock);
	shmem_getmem(copy, page, size, 0);
	unsigned char before = change(copy, size);
	shmem_putmem(page, copy, size, 0);
	shmem_quiet();
	shmem_clear_lock(&shared->lock);
	return before;
}

static unsigned char change_and_put(unsigned char *page, long size)
{
	unsigned char before = change(page, size);
	shmem_putmem(page, page, size, 1 - rank);
	return before;
}

// lock_hand_over lets the ranks lock the page of rank 0, change all of it and unlock it in turn:
// rank 0 in place, rank 1 with a get and a put.
uint64_t lock_hand_over(long size, long count)
{
	buffer(BUFFER_PAGE, size); // is there before time is taken
	return in_turns(start_page(size), size, count, change_remotely);
}

// flag_hand_over has no lock: each rank changes its own copy of the page and puts it at the other
// rank, and a flag after it.
uint64_t flag_hand_over(long size, long count) { return in_turns(start_page(size), size, count, change_and_put); }

// pointer_hand_over is lock_hand_over where both ranks work in place: rank 1 by a pointer to the
// memory of rank 0.
uint64_t pointer_hand_over(long size, long count)
{
	unsigned char *page = shmem_ptr(start_page(size), 0);
	if (!page)
		wrong("shmem_ptr returns no pointer to the memory of rank 0; bytes", size);
	return in_turns(page, size, count, change_locked);
}
