// The operations of an OpenSHMEM peer.
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <shmem.h>

#include "../peer.h"

operation barrier, meet, sum, round_trip; // small.c
operation lock_hand_over, flag_hand_over, pointer_hand_over; // handover.c
operation put_stream, put_stream_read, get_stream; // stream.c
operation matmul, product; // matmul.c

// symmetric returns symmetric memory with the given name of buffer(), allocating it again if its
// size has changed. All ranks call it, with the same arguments. It has been written.
void *symmetric(int name, long bytes);

// shared has all symmetric words that operations use besides buffers. They are in the symmetric
// heap: UCX reaches static variables of another process only by system calls.
extern struct shared {
	// Flags are words that other ranks write. A cache line separates them.
	struct flag {
		long word, unused[15];
	} flags[4], gathered[MOST_RANKS];
	long lock, unused[15];
	long sync[2][SHMEM_REDUCE_SYNC_SIZE > SHMEM_BCAST_SYNC_SIZE ? SHMEM_REDUCE_SYNC_SIZE : SHMEM_BCAST_SYNC_SIZE];
	struct {
		double own, all, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
	} sums[2];
} *shared;

typedef struct flag flag;

// clear_flags sets all flags of this rank to 0, and returns when all ranks have done so.
void clear_flags(void);

// raise_flag writes value into the flag of another rank, after all puts to that rank. await_flag
// returns when the flag of this rank has the value.
void raise_flag(flag *f, long value, int at);
void await_flag(flag *f, long value);

#endif
