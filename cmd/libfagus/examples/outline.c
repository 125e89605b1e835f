/* The program outline of the paper (docs/lab/papers.md, Fagus), with a counter instead of a matrix.
 *
 *     fagus launch -n 4 -- ./outline */
#include <stdio.h>
#include <stdlib.h>

#include "fagus.h"

static void check(int code) {
    if (code == FAGUS_OK) return;
    fprintf(stderr, "outline: %s\n", fagus_last_error());
    exit(1);
}

int main(void) {
    void *memory;
    fagus_sync sync;
    fagus_sync_set sync_set;

    check(fagus_init());
    check(fagus_alloc("counter", sizeof(long), &memory));
    long *counter = memory;
    fagus_range range = {counter, sizeof *counter};
    check(fagus_bind("counter", &range, 1, &sync));
    check(fagus_new_set(&sync_set));

    /* the acquire list; ranks may count in any order */
    check(fagus_set_sync_unordered(sync_set, sync, FAGUS_EXCLUSIVE));
    for (int i = 0; i < 10; i++) {
        check(fagus_acquire(sync_set)); /* a communication phase */
        *counter += 1;                  /* a compute phase */
        check(fagus_release(sync_set)); /* no communication */
    }
    check(fagus_sync_updatecache()); /* a communication phase */

    printf("rank %d of %d counts %ld\n", fagus_rank(), fagus_size(), *counter);
    check(fagus_finalize());
    return 0;
}
