// Declarations shared by the files of a peer. Calls go one way: peer.c calls the functions of one
// library, those in mpi, shmem or fabric, which call work.c and kernel.c.
#ifndef PEER_H
#define PEER_H

#include <stdint.h>

enum { MOST_RANKS = 1024 };

extern int rank, ranks; // the number of this process, and of all processes

// An operation runs count rounds and returns the nanoseconds that they took at rank 0. All ranks
// call it with the same arguments. size is a number of bytes, or the order of matrices.
typedef uint64_t operation(long size, long count);

// operations has the operations of the library; the last name is NULL. pair marks those that need
// exactly two ranks.
struct named {
	const char *name;
	operation *run;
	int pair;
};
extern const struct named operations[];

// library_start starts the library and sets rank and ranks. library_barrier returns when all ranks
// have called it. library_end must be called last.
void library_start(int *argc, char ***argv);
void library_barrier(void);
void library_end(void);

// opened_providers returns the names of the providers of libfabric that the library has opened, a
// space before each; "" if it has opened none, or if that is not known.
const char *opened_providers(void);

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

// compute is a chain of steps, each of which waits for the one before: 4 or 5 cycles.
uint64_t compute(long steps);

// wanted_sum returns the sum over all ranks of round + rank.
double wanted_sum(long round);

// rows_of returns the number of rows of a matrix that rank r has, of which the first is row
// first_row(order, r): each rank has one block of rows.
long first_row(long order, int r);
long rows_of(long order, int r);

// set sets all n elements to value.
void set(double *x, long n, double value);

// multiply computes rows of C = A x B for matrices of order n.
void multiply(double *restrict c, const double *a, const double *b, long rows, long n);

// rewrite sets every word to round. check_words checks one word of each cache line.
void rewrite(uint64_t *words, long bytes, uint64_t round);
void check_words(const uint64_t *words, long bytes, uint64_t round);

#endif
