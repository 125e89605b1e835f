// Operations on windows, under their locks.
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "peer.h"

static void pass_token(void) { MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD); }

static void await_token(void)
{
	MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// window is one whose memory rank 0 has. Each name has one, made anew for another size.
struct window {
	MPI_Win win;
	void *memory; // of rank 0; in a shared window at both ranks
	long bytes;
};

static struct window windows[2];

void free_windows(void)
{
	for (int i = 0; i < 2; i++)
		if (windows[i].bytes)
			MPI_Win_free(&windows[i].win);
}

static struct window *window(int shared, long bytes)
{
	struct window *w = &windows[shared];
	if (w->bytes == bytes)
		return w;
	if (w->bytes)
		MPI_Win_free(&w->win);
	MPI_Aint own = rank == 0 ? bytes : 0;
	if (shared) {
		int unit;
		MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->memory, &w->win);
		MPI_Win_shared_query(w->win, 0, &own, &unit, &w->memory);
	} else {
		MPI_Win_allocate(own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->memory, &w->win);
	}
	if (rank == 0)
		memset(w->memory, 0, bytes);
	w->bytes = bytes;
	MPI_Barrier(MPI_COMM_WORLD);
	return w;
}

// clear makes the region what it is before round 0.
static void clear(struct window *w, long bytes)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
	if (rank == 0)
		memset(w->memory, 0, bytes);
	MPI_Win_unlock(0, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
}

// In turn each rank locks, reads and changes all, and unlocks: rank 0 in place, rank 1 with a Get
// and a Put. Whose turn it is, an empty message says, so that no lock is taken in vain.
uint64_t window_hand_over(long size, long count)
{
	struct window *w = window(0, size);
	unsigned char *copy = room(ROOM_PAGE, size), before;
	clear(w, size);
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		if (rank == 1)
			await_token();
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
		if (rank == 0) {
			before = change(w->memory, size);
		} else {
			MPI_Get(copy, size, MPI_BYTE, 0, 0, size, MPI_BYTE, w->win);
			MPI_Win_flush(0, w->win);
			before = change(copy, size);
			MPI_Put(copy, size, MPI_BYTE, 0, 0, size, MPI_BYTE, w->win);
		}
		MPI_Win_unlock(0, w->win);
		pass_token();
		if (rank == 0)
			await_token();
		if (before != handed_over(i))
			wrong("a page that was not handed over", i);
	}
	return now() - start;
}

// MPICH gives a lock only while the rank that has the window is in a call: without a look into MPI
// now and then this hangs.
static void await_turn(const atomic_long *turn, long mine)
{
	int flag;
	for (long spins = 1; atomic_load_explicit(turn, memory_order_acquire) != mine; spins++)
		if (spins % 32 == 0)
			MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

// The same in a shared window, where both work in place. Whose turn it is, a word behind the data
// says, in a cache line of its own, which who waits polls without the lock.
uint64_t shared_hand_over(long size, long count)
{
	struct window *w = window(1, size + 128);
	unsigned char before;
	atomic_long *turn = (atomic_long *)((char *)w->memory + (size + 63) / 64 * 64);
	clear(w, size + 128);
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		await_turn(turn, 2 * i + rank);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
		before = change(w->memory, size);
		MPI_Win_unlock(0, w->win);
		atomic_store_explicit(turn, 2 * i + rank + 1, memory_order_release);
		if (before != handed_over(i))
			wrong("a page that was not handed over", i);
	}
	await_turn(turn, 2 * count);
	return now() - start;
}

// As stream, but rank 1 gets it from the window.
uint64_t window_stream(long size, long count)
{
	struct window *w = window(0, size);
	uint64_t *copy = room(ROOM_STREAM, size), took = 0;
	for (long i = 0; i < count; i++) {
		if (rank == 0) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
			rewrite(w->memory, size, i);
			MPI_Win_unlock(0, w->win);
			await_token();
			uint64_t start = now();
			pass_token();
			await_token();
			took += now() - start;
			continue;
		}
		pass_token();
		await_token();
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win);
		MPI_Get(copy, size, MPI_BYTE, 0, 0, size, MPI_BYTE, w->win);
		MPI_Win_unlock(0, w->win);
		pass_token();
		look(copy, size, i);
	}
	return took;
}
