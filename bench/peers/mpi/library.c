// The library of an MPI peer.
#include <mpi.h>

#include "operations.h"

const struct named operations[] = {
	{"barrier", barrier, 0},
	{"meet", meet, 0},
	{"sum", sum, 0},
	{"round-trip", round_trip, 1},
	{"stream", stream, 1},
	{"stream-read", stream_read, 1},
	{"window-hand-over", window_hand_over, 1},
	{"shared-hand-over", shared_hand_over, 1},
	{"window-stream", window_stream, 1},
	{"matmul", matmul, 0},
	{"product", product, 0},
	{0},
};

void library_start(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

void library_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

void library_end(void)
{
	free_windows();
	MPI_Finalize();
}
