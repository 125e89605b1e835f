/* The functions of fagus.h. They exist because the prototypes that cgo generates lack const and
 * enum types. */
#include "fagus.h"
#include "_cgo_export.h"

int fagus_rank(void) { return libfagus_rank(); }
int fagus_size(void) { return libfagus_size(); }

const char *fagus_strerror(int code) {
    static char texts[FAGUS_ERR_INTERNAL + 2][80];
    char *text = texts[code < 0 || code > FAGUS_ERR_INTERNAL ? FAGUS_ERR_INTERNAL + 1 : code];
    if (!*text) libfagus_strerror(code, text, sizeof texts[0]);
    return text;
}

const char *fagus_last_error(void) {
    static char text[1024];
    libfagus_last_error(text, sizeof text);
    return text;
}

int fagus_init(void) { return libfagus_init(); }
int fagus_finalize(void) { return libfagus_finalize(); }
int fagus_alloc(const char *name, size_t bytes, void **array) { return libfagus_alloc((char *)name, bytes, array); }
int fagus_bind(const char *name, const fagus_range *ranges, size_t count, fagus_sync *sync) {
    return libfagus_bind((char *)name, (fagus_range *)ranges, count, sync);
}
int fagus_new_set(fagus_sync_set *sync_set) { return libfagus_new_set(sync_set); }
int fagus_set_sync(fagus_sync_set sync_set, fagus_sync sync, fagus_mode mode) { return libfagus_set_sync(sync_set, sync, mode); }
int fagus_set_sync_unordered(fagus_sync_set sync_set, fagus_sync sync, fagus_mode mode) {
    return libfagus_set_sync_unordered(sync_set, sync, mode);
}
int fagus_clear_set(fagus_sync_set sync_set) { return libfagus_clear_set(sync_set); }
int fagus_acquire(fagus_sync_set sync_set) { return libfagus_acquire(sync_set); }
int fagus_release(fagus_sync_set sync_set) { return libfagus_release(sync_set); }
int fagus_declare_write(const void *addr, size_t len) { return libfagus_declare_write((void *)addr, len); }
int fagus_sync_updatecache(void) { return libfagus_sync_updatecache(); }
int fagus_barrier(void) { return libfagus_barrier(); }
int fagus_fence(void) { return libfagus_fence(); }
int fagus_reduce_int64(fagus_op op, int64_t x, int64_t *all) { return libfagus_reduce_int64(op, x, all); }
int fagus_reduce_double(fagus_op op, double x, double *all) { return libfagus_reduce_double(op, x, all); }
int fagus_spend(int64_t ns) { return libfagus_spend(ns); }
