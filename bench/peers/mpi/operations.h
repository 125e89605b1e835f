// The operations of an MPI peer.
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "../peer.h"

operation barrier, meet, sum, round_trip, stream, stream_read; // messages.c
operation window_hand_over, shared_hand_over, window_stream; // windows.c
operation matmul, product; // matmul.c

// free_windows frees all windows. It must be called before MPI_Finalize.
void free_windows(void);

#endif
