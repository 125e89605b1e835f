/* Threads make concurrent calls, which is an error: each call must return a valid code, and the
 * last error must be a complete text. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fagus.h"

enum { threads = 4, calls = 20000 };

static fagus_sync_set set;

/* Allocates and binds an array while other threads allocate too. */
static int own(long thread, int i) {
    char name[32];
    void *at;
    fagus_sync sync;
    int code;
    snprintf(name, sizeof name, "%ld.%d", thread, i);
    while ((code = fagus_alloc(name, 10, &at)) == FAGUS_ERR_BUSY) continue;
    if (code) return code;
    fagus_range range = {at, 10};
    while ((code = fagus_bind(name, &range, 1, &sync)) == FAGUS_ERR_BUSY) continue;
    return code;
}

static void *hammer(void *odd) {
    long wrong = 0, thread = *(long *)odd;
    int64_t all;
    for (int i = 0; i < calls; i++) {
        int code = i % 3 == 0 ? fagus_barrier() : i % 3 == 1 ? fagus_spend(1) : fagus_reduce_int64(FAGUS_SUM, 1, &all);
        if (code != FAGUS_OK && code != FAGUS_ERR_BUSY) wrong++;
        code = fagus_set_sync(set, -7, FAGUS_SHARED);
        if (code != FAGUS_ERR_HANDLE && code != FAGUS_ERR_BUSY) wrong++;
        if (i % 50 == 0 && own(thread, i) != FAGUS_OK) wrong++;
        if (fagus_rank() != 0 || fagus_size() != 1) wrong++;
    }
    *(long *)odd = wrong;
    return NULL;
}

int main(void) {
    pthread_t thread[threads];
    long wrong[threads], all = 0;
    if (fagus_init() || fagus_new_set(&set)) return 1;
    for (int i = 0; i < threads; i++) wrong[i] = i;
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, hammer, &wrong[i])) return 1;
    for (int i = 0; i < threads; i++) {
        if (pthread_join(thread[i], NULL)) return 1;
        all += wrong[i];
    }
    printf("%ld codes are wrong; %s\n", all, strncmp(fagus_last_error(), "fagus: ", 7) ? fagus_last_error() : "the error is a text");
    return fagus_finalize();
}
