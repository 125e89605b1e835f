// Operations on MPI windows, using their locks.
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "operations.h"

static void pass_token(void) { MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD); }

static void await_token(void)
{
	MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// window is an MPI window whose memory belongs to rank 0.
struct window {
	MPI_Win win;
	void *memory; // at rank 0; in a shared window at both ranks
	long bytes;
};

static struct window windows[2]; // not shared, shared

void free_windows(void)
{
	for (int i = 0; i < 2; i++)
		if (windows[i].bytes)
			MPI_Win_free(&windows[i].win);
}

// window returns the shared or unshared window, allocating it again if its size has changed.
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

// clear sets the window to its content before round 0.
static void clear(struct window *w, long bytes)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
	if (rank == 0)
		memset(w->memory, 0, bytes);
	MPI_Win_unlock(0, w->win);
	MPI_Barrier(MPI_COMM_WORLD);
}

// window_hand_over lets the ranks lock the window, change all of its data and unlock it in turn:
// rank 0 in place, rank 1 with a Get and a Put. An empty message passes the turn, so that no
// rank waits for the lock.
uint64_t window_hand_over(long size, long count)
{
	struct window *w = window(0, size);
	unsigned char *copy = buffer(BUFFER_PAGE, size), before;
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
			wrong("the page was not handed over", i);
	}
	return now() - start;
}

// await_turn polls turn. It also calls MPI_Iprobe now and then, because MPICH grants a lock only
// while the rank that owns the window is in an MPI call.
static void await_turn(const atomic_long *turn, long mine)
{
	int flag;
	for (long spins = 1; atomic_load_explicit(turn, memory_order_acquire) != mine; spins++)
		if (spins % 32 == 0)
			MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

// shared_hand_over is window_hand_over in a shared window, where both ranks work in place. A
// word in a separate cache line behind the data has the turn; the waiting rank polls it without
// the lock.
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
			wrong("the page was not handed over", i);
	}
	await_turn(turn, 2 * count);
	return now() - start;
}

// window_stream is stream, but rank 1 reads the data from the window with a Get.
uint64_t window_stream(long size, long count)
{
	struct window *w = window(0, size);
	uint64_t *copy = buffer(BUFFER_STREAM, size), took = 0;
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
		check_words(copy, size, i);
	}
	return took;
}
