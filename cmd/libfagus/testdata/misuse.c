/* Misuses every function and prints the errors. One rank. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "fagus.h"

static void say(const char *what, int code) { printf("%s: %d %s\n", what, code, code ? fagus_last_error() : "ok"); }
#define SAY(what, call)     \
    do {                    \
        int code = (call);  \
        say(what, code);    \
    } while (0)

static void *elsewhere(void *unused) {
    (void)unused;
    SAY("from another thread", fagus_barrier());
    return NULL;
}

int main(void) {
    void *at;
    fagus_sync v, none;
    fagus_sync_set set, other;
    int64_t all;

    SAY("barrier before init", fagus_barrier());
    SAY("finalize before init", fagus_finalize());
    printf("rank before init: %d of %d\n", fagus_rank(), fagus_size());
    SAY("init", fagus_init());
    SAY("init again", fagus_init());

    SAY("alloc without a name", fagus_alloc(NULL, 8, &at));
    SAY("alloc to nowhere", fagus_alloc("a", 8, NULL));
    SAY("alloc nothing", fagus_alloc("a", 0, &at));
    SAY("alloc too much", fagus_alloc("a", (size_t)-1, &at));
    SAY("alloc", fagus_alloc("a", 100, &at));
    SAY("alloc the name again", fagus_alloc("a", 100, &at));
    char *a = at;
    fagus_range half = {a, 50}, over = {a + 99, 2}, wild = {&all, 8}, empty = {a + 50, 0}, rest = {a + 49, 51};

    SAY("bind no range", fagus_bind("v", &half, 0, &v));
    SAY("bind null", fagus_bind("v", NULL, 1, &v));
    SAY("bind beyond the end", fagus_bind("v", &over, 1, &v) == FAGUS_ERR_ADDRESS ? 0 : 99);
    SAY("bind what is not shared", fagus_bind("v", &wild, 1, &v) == FAGUS_ERR_ADDRESS ? 0 : 99);
    SAY("bind nothing", fagus_bind("v", &empty, 1, &v) == FAGUS_ERR_ADDRESS ? 0 : 99);
    SAY("bind", fagus_bind("v", &half, 1, &v));
    SAY("bind what is bound", fagus_bind("w", &rest, 1, &none));
    SAY("bind the name again", fagus_bind("v", &(fagus_range){a + 60, 1}, 1, &none));

    SAY("a set to nowhere", fagus_new_set(NULL));
    SAY("a set", fagus_new_set(&set));
    SAY("another set", fagus_new_set(&other));
    SAY("no such variable", fagus_set_sync(set, 7, FAGUS_SHARED));
    SAY("no such set", fagus_set_sync(-1, v, FAGUS_SHARED));
    SAY("no such mode", fagus_set_sync(set, v, (fagus_mode)9));
    SAY("no such mode, unordered", fagus_set_sync_unordered(set, v, (fagus_mode)-1));
    SAY("into the set", fagus_set_sync(set, v, FAGUS_EXCLUSIVE));
    SAY("into the set twice", fagus_set_sync(set, v, FAGUS_SHARED));
    SAY("into the set twice, unordered", fagus_set_sync_unordered(set, v, FAGUS_SHARED));

    SAY("release what is not held", fagus_release(set));
    SAY("declare what is not held", fagus_declare_write(a, 1));
    SAY("acquire no such set", fagus_acquire(99));
    SAY("acquire", fagus_acquire(set));
    SAY("acquire while holding", fagus_acquire(other));
    SAY("barrier while holding", fagus_barrier());
    SAY("fence while holding", fagus_fence());
    SAY("update while holding", fagus_sync_updatecache());
    SAY("reduce while holding", fagus_reduce_int64(FAGUS_SUM, 1, &all));
    SAY("finalize while holding", fagus_finalize());
    SAY("change what is held", fagus_clear_set(set));
    SAY("declare what is to be found out", fagus_declare_write(a, 1));
    SAY("release another", fagus_release(other));
    SAY("release", fagus_release(set));
    SAY("release again", fagus_release(set));

    SAY("no such operation", fagus_reduce_int64((fagus_op)5, 1, &all));
    SAY("reduce to nowhere", fagus_reduce_double(FAGUS_SUM, 1, NULL));
    SAY("time that is negative", fagus_spend(-1));
    pthread_t thread;
    if (pthread_create(&thread, NULL, elsewhere, NULL) || pthread_join(thread, NULL)) return 1;

    SAY("finalize", fagus_finalize());
    SAY("finalize again", fagus_finalize());
    SAY("init after the end", fagus_init());
    printf("codes: %s; %s\n", fagus_strerror(FAGUS_ERR_HELD), fagus_strerror(77));
    return 0;
}
