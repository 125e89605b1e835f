/* Fagus: a distributed shared memory with entry consistency. The C interface; docs/reference/compilers.md
 * is its contract.
 *
 *     fagus_init();
 *     fagus_alloc("A", n * sizeof *a, (void **)&a);      collective: the same at every rank
 *     fagus_bind("A", &(fagus_range){a, n * sizeof *a}, 1, &sync);
 *     fagus_new_set(&sync_set);
 *     fagus_set_sync(sync_set, sync, FAGUS_EXCLUSIVE);
 *     fagus_acquire(sync_set);                           a communication phase
 *     ... a[i] ...                                       a compute phase: no communication
 *     fagus_release(sync_set);                           no communication
 *     fagus_sync_updatecache();                          a communication phase
 *     fagus_finalize();
 *
 * Every function except the first four below returns FAGUS_OK or an error code. No function
 * aborts the process or prints. Any thread may make calls, but only one at a time. A name has at
 * most 32768 bytes, and a call at most 1048576 ranges. */
#ifndef FAGUS_H
#define FAGUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The codes that calls return. */
enum {
    FAGUS_OK = 0,
    FAGUS_ERR_NOT_RUNNING, /* called before fagus_init or after fagus_finalize */
    FAGUS_ERR_RUNNING,     /* fagus_init was called before */
    FAGUS_ERR_ARGUMENT,    /* an argument is null, empty, negative or out of range */
    FAGUS_ERR_HANDLE,      /* no such sync variable or set */
    FAGUS_ERR_ADDRESS,     /* the bytes are not inside an array made by fagus_alloc */
    FAGUS_ERR_BOUND,       /* another sync variable guards some of the bytes */
    FAGUS_ERR_NAME,        /* the name is already in use */
    FAGUS_ERR_TWICE,       /* the sync variable is already in the set */
    FAGUS_ERR_HELD,        /* a set is held: release it first */
    FAGUS_ERR_NOT_HELD,    /* the set or sync variable is not held in the required mode */
    FAGUS_ERR_BUSY,        /* another thread is in a call */
    FAGUS_ERR_MEMORY,      /* out of memory */
    FAGUS_ERR_JOB,         /* the launcher's environment is wrong, or ranks cannot join */
    FAGUS_ERR_LOST,        /* a rank or the network failed, or ranks made different calls */
    FAGUS_ERR_INTERNAL     /* a bug in Fagus */
};

typedef int32_t fagus_sync;     /* a sync variable: the same number at every rank */
typedef int32_t fagus_sync_set; /* sync variables that are acquired together: local to a rank */

/* The access to a sync variable. */
typedef enum {
    FAGUS_SHARED,    /* to read */
    FAGUS_EXCLUSIVE, /* to read and write: the release detects which bytes were written */
    FAGUS_TELLING    /* to read and write: fagus_declare_write declares the written bytes */
} fagus_mode;

/* The operation of a reduction. */
typedef enum { FAGUS_SUM, FAGUS_MIN, FAGUS_MAX } fagus_op;

/* A range of bytes of an array. */
typedef struct {
    void *addr;
    size_t len;
} fagus_range;

/* Return the number of this rank, from 0, and the number of ranks; -1 outside a run. */
int fagus_rank(void);
int fagus_size(void);

/* fagus_strerror returns the meaning of a code. fagus_last_error returns the text of the last
 * error in this process, at most 1023 characters; the next fagus_last_error overwrites it. */
const char *fagus_strerror(int code);
const char *fagus_last_error(void);

/* Begins the run, as a rank of the job in which `fagus launch`, mpirun or srun started this
 * process, else as the only rank. A process can call it once. */
int fagus_init(void);

/* Waits until all ranks have called it and ends the run. The arrays are freed. */
int fagus_finalize(void);

/* Allocates an array of zero bytes, aligned to a page. Collective: all ranks make the same calls
 * in the same order. */
int fagus_alloc(const char *name, size_t bytes, void **array);

/* Makes a sync variable that guards count ranges. At most one sync variable guards a byte.
 * Collective. */
int fagus_bind(const char *name, const fagus_range *ranges, size_t count, fagus_sync *sync);

/* Make an empty set; add a sync variable to a set that is not held; remove all sync variables
 * from such a set. */
int fagus_new_set(fagus_sync_set *sync_set);
int fagus_set_sync(fagus_sync_set sync_set, fagus_sync sync, fagus_mode mode);
int fagus_clear_set(fagus_sync_set sync_set);

/* Adds a sync variable as fagus_set_sync does, and states that the program is right in whichever
 * order ranks are granted it: it is a lock, or a value of which any version will do. It changes
 * nothing else. */
int fagus_set_sync_unordered(fagus_sync_set sync_set, fagus_sync sync, fagus_mode mode);

/* Waits until all sync variables of the set are granted and this rank has the current content of
 * the bytes that they guard. In phase mode it is collective: every other rank must make a
 * collective call too, though its set may differ or be empty. */
int fagus_acquire(fagus_sync_set sync_set);

/* Releases the set. In phase mode it sends nothing: the next rank that acquires a sync variable
 * fetches the changes. */
int fagus_release(fagus_sync_set sync_set);

/* Declares, while a set is held, that the program wrote len bytes at addr, which a FAGUS_TELLING
 * sync variable guards. */
int fagus_declare_write(const void *addr, size_t len);

/* Sends all changes to the ranks that have a copy of the changed bytes. Collective. */
int fagus_sync_updatecache(void);

/* Returns when all ranks have called it. Collective. */
int fagus_barrier(void);

/* Orders all tenures before it, of all ranks, before all tenures after it. In phase mode it sends
 * nothing, and the rank's next call waits until all ranks have called it; in threaded mode it is a
 * barrier. Collective. */
int fagus_fence(void);

/* Reduce one number of each rank, in rank order, with bitwise equal results at all ranks.
 * Collective. */
int fagus_reduce_int64(fagus_op op, int64_t x, int64_t *all);
int fagus_reduce_double(fagus_op op, double x, double *all);

/* Charges ns nanoseconds of computing, at most 106 days, to the clock of a simulated machine. It
 * has no effect elsewhere. */
int fagus_spend(int64_t ns);

#ifdef __cplusplus
}
#endif
#endif
