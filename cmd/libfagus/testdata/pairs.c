/* Prints the time in nanoseconds of an acquire and a release of an empty set, and of a call
 * without communication. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fagus.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 100000;
    fagus_sync_set set;
    if (fagus_init() || fagus_new_set(&set)) return 1;
    double begin = now();
    for (long i = 0; i < n; i++)
        if (fagus_acquire(set) || fagus_release(set)) return 1;
    double middle = now();
    for (long i = 0; i < n; i++)
        if (fagus_spend(0)) return 1;
    double end = now();
    if (!fagus_rank()) printf("%.1f %.1f\n", (middle - begin) / n, (end - middle) / n);
    return fagus_finalize();
}
