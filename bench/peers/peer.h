// Declarations shared by the files of a peer. Calls go one way: peer.c calls the operations in
// messages.c, windows.c and matmul.c, which call work.c and kernel.c.
#ifndef PEER_H
#define PEER_H

#include <stdint.h>

// An operation runs count rounds and returns the nanoseconds that they took at rank 0. Both ranks
// call it with the same arguments. size is a number of bytes, or the order of matrices.
typedef uint64_t operation(long size, long count);

operation barrier, sum, round_trip, stream, stream_read; // messages.c
operation window_hand_over, shared_hand_over, window_stream; // windows.c
operation matmul, product; // matmul.c

extern int rank; // of this process, 0 or 1

// free_windows frees all windows. It must be called before MPI_Finalize.
void free_windows(void);

// now returns a monotonic time in nanoseconds.
uint64_t now(void);

// buffer returns the page-aligned buffer with the given name, allocating it if its size has
// changed. The buffer has been written, because the first access to a page costs ten times a
// copy.
void *buffer(int name, long bytes);
enum { BUFFER_STREAM, BUFFER_PAGE, BUFFER_A, BUFFER_B, BUFFER_C };

// wrong prints an error and exits. It is called when received data is not what was sent.
void wrong(const char *what, long round);

// change is the work of a hand-over: it reads and writes all bytes and returns the old value of
// the last byte. handed_over returns the value that change must return in a round.
unsigned char change(unsigned char *data, long bytes);
unsigned char handed_over(long round);

// multiply computes rows of C = A x B for matrices of order n.
void multiply(double *restrict c, const double *a, const double *b, long rows, long n);

// rewrite sets every word to round. check_words checks one word of each cache line.
void rewrite(uint64_t *words, long bytes, uint64_t round);
void check_words(const uint64_t *words, long bytes, uint64_t round);

#endif
