// What the files of a peer share.
#ifndef PEER_H
#define PEER_H

#include <stdint.h>

// An operation does count rounds and returns the nanoseconds that they took at rank 0; all ranks
// call it with the same arguments. size is bytes, or the order of matrices.
typedef uint64_t operation(long size, long count);

operation barrier, sum, round_trip, stream, stream_read; // messages.c
operation window_hand_over, shared_hand_over, window_stream; // windows.c
operation matmul, product; // matmul.c

extern int rank; // of this process, 0 or 1

void free_windows(void); // before the end

uint64_t now(void); // nanoseconds

// room returns memory of its own for each name, at least so large, that has been written: pages
// never touched before cost ten times a copy. It is the same as long as the size is.
void *room(int name, long bytes);
enum { ROOM_STREAM, ROOM_PAGE, ROOM_A, ROOM_B, ROOM_C };

// wrong ends the process, since what must have arrived has not.
void wrong(const char *what, long round);

// The work of a hand-over: reads and writes all, and returns the last byte as it was.
unsigned char change(unsigned char *data, long bytes);
unsigned char handed_over(long round); // which that must be

void multiply(double *restrict c, const double *a, const double *b, long rows, long n); // C = A x B

void rewrite(uint64_t *words, long bytes, uint64_t round);
void look(const uint64_t *words, long bytes, uint64_t round); // at a word of each cache line

#endif
