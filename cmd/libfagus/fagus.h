/* Fagus: a distributed shared memory with entry consistency. The C interface; docs/compilers.md is its contract.
 *
 *     fagus_init();
 *     fagus_alloc("A", n * sizeof *a, (void **)&a);           collective: the same at every rank
 *     fagus_bind("A", &(fagus_range){a, n * sizeof *a}, 1, &sync);
 *     fagus_new_set(&sync_set);
 *     fagus_set_sync(sync_set, sync, FAGUS_EXCLUSIVE);
 *     fagus_acquire(sync_set);                                a communication phase
 *     ... a[i] ...                                            a compute phase: no call, no fault, no polling
 *     fagus_release(sync_set);                                no communication
 *     fagus_sync_updatecache();                               a communication phase
 *     fagus_finalize();
 *
 * Every function but the first four below returns a code: 0, or what went wrong. None aborts, none prints. Calls are for
 * one thread at a time, any of the process. A name has at most 32768 bytes, and a call 1048576 ranges. */
#ifndef FAGUS_H
#define FAGUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returns. */
enum {
    FAGUS_OK = 0,
    FAGUS_ERR_NOT_RUNNING, /* before fagus_init, or after fagus_finalize */
    FAGUS_ERR_RUNNING,     /* fagus_init for the second time */
    FAGUS_ERR_ARGUMENT,    /* null, empty, negative, or unknown */
    FAGUS_ERR_HANDLE,      /* no such sync variable or set */
    FAGUS_ERR_ADDRESS,     /* not inside an array of fagus_alloc */
    FAGUS_ERR_BOUND,       /* another sync variable guards some of it */
    FAGUS_ERR_NAME,        /* the name is used already */
    FAGUS_ERR_TWICE,       /* the sync variable is in the set already */
    FAGUS_ERR_HELD,        /* a set is held: release it first */
    FAGUS_ERR_NOT_HELD,    /* that set, or that variable, is not held as it has to be */
    FAGUS_ERR_BUSY,        /* another thread is in a call */
    FAGUS_ERR_MEMORY,      /* there is none left */
    FAGUS_ERR_JOB,         /* the launcher's environment makes no sense, or its ranks do not meet */
    FAGUS_ERR_LOST,        /* another rank or the network has failed, or ranks do not agree: the run is over */
    FAGUS_ERR_INTERNAL     /* a mistake in Fagus */
};

typedef int32_t fagus_sync;     /* a sync variable; the same number at every rank */
typedef int32_t fagus_sync_set; /* what is acquired at once; a rank's own */

/* How a sync variable is wanted. */
typedef enum {
    FAGUS_SHARED,    /* to read */
    FAGUS_EXCLUSIVE, /* to read and write; what was written is found out */
    FAGUS_TELLING    /* the same, but only what fagus_declare_write names counts as written */
} fagus_mode;

/* How numbers of all ranks become one. */
typedef enum { FAGUS_SUM, FAGUS_MIN, FAGUS_MAX } fagus_op;

/* A range of bytes of an array. */
typedef struct {
    void *addr;
    size_t len;
} fagus_range;

/* The number of this rank, and how many there are; -1 if the run has not begun, or has ended. */
int fagus_rank(void);
int fagus_size(void);

/* What a code means; and what led to the last one that was not 0, in this process: at most 1023 characters, in memory that the next
 * fagus_last_error writes over. */
const char *fagus_strerror(int code);
const char *fagus_last_error(void);

/* Begins: as a rank of the job in which `fagus launch`, mpirun or srun has started this process, or alone. Once. */
int fagus_init(void);

/* Ends: waits until all ranks have called it. The arrays are gone then. */
int fagus_finalize(void);

/* Makes an array of bytes, all 0, aligned to a page. Collective: the same calls in the same order at every rank. */
int fagus_alloc(const char *name, size_t bytes, void **array);

/* Makes a sync variable that guards ranges, count of them. A byte has at most one. Collective. */
int fagus_bind(const char *name, const fagus_range *ranges, size_t count, fagus_sync *sync);

/* Makes a set; puts a sync variable into one that is not held; takes all out. */
int fagus_new_set(fagus_sync_set *sync_set);
int fagus_set_sync(fagus_sync_set sync_set, fagus_sync sync, fagus_mode mode);
int fagus_clear_set(fagus_sync_set sync_set);

/* Waits until all of a set is granted and what it guards is current here. In phase mode it is collective: every rank makes
 * a collective call, whatever that wants; a set may be empty. */
int fagus_acquire(fagus_sync_set sync_set);

/* Gives the set back. It tells nobody anything in phase mode: who acquires a variable fetches what changed. */
int fagus_release(fagus_sync_set sync_set);

/* Says, while a set is held, that len bytes at addr were written: of a sync variable that is wanted FAGUS_TELLING. */
int fagus_declare_write(const void *addr, size_t len);

/* Brings what was changed to all ranks that have had it. Collective. */
int fagus_sync_updatecache(void);

/* Returns when all ranks have called it. Collective. */
int fagus_barrier(void);

/* Fold a number of every rank, in the order of ranks, the same bits at all. Collective. */
int fagus_reduce_int64(fagus_op op, int64_t x, int64_t *all);
int fagus_reduce_double(fagus_op op, double x, double *all);

/* Charges ns of computing, at most 106 days, to the clock of a simulated machine; nothing elsewhere. */
int fagus_spend(int64_t ns);

#ifdef __cplusplus
}
#endif
#endif
