/* Fagus for C++17: a class interface to fagus.h. Errors are thrown as fagus::error. */
#ifndef FAGUS_HPP
#define FAGUS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "fagus.h"

namespace fagus {

/* The error of a call. */
class error : public std::runtime_error {
public:
    explicit error(int code) : std::runtime_error(fagus_last_error()), code(code) {}
    const int code;
};

inline void check(int code) {
    if (code != FAGUS_OK) throw error(code);
}

/* A run, which lasts until the end of the scope. Its destructor waits for all ranks and drops
 * errors; finish reports them. If an exception leaves the scope, the process should end, because
 * the other ranks wait for it. */
class run {
public:
    run() { check(fagus_init()); }
    ~run() {
        if (!finished) fagus_finalize();
    }
    run(const run &) = delete;
    run &operator=(const run &) = delete;
    void finish() {
        finished = true;
        check(fagus_finalize());
    }

private:
    bool finished = false;
};

/* An array of count elements, valid until the run ends. T is a number type or a struct of
 * numbers. */
template <class T> class array {
public:
    array(const std::string &name, std::size_t count) : count(count) {
        void *at;
        check(fagus_alloc(name.c_str(), count * sizeof(T), &at));
        first = static_cast<T *>(at);
    }
    T &operator[](std::size_t i) const { return first[i]; }
    T *data() const { return first; }
    std::size_t size() const { return count; }
    T *begin() const { return first; }
    T *end() const { return first + count; }
    /* Returns the range of the elements [lo, hi). */
    fagus_range range(std::size_t lo, std::size_t hi) const { return {first + lo, (hi - lo) * sizeof(T)}; }
    fagus_range all() const { return range(0, count); }

private:
    std::size_t count;
    T *first;
};

/* Makes a sync variable that guards ranges. */
inline fagus_sync bind(const std::string &name, std::initializer_list<fagus_range> ranges) {
    fagus_sync sync;
    check(fagus_bind(name.c_str(), ranges.begin(), ranges.size(), &sync));
    return sync;
}

/* Sync variables that are acquired together. */
class sync_set {
public:
    sync_set() { check(fagus_new_set(&set)); }
    sync_set(const sync_set &) = delete;
    sync_set &operator=(const sync_set &) = delete;
    sync_set &want(fagus_sync sync, fagus_mode mode) {
        check(fagus_set_sync(set, sync, mode));
        return *this;
    }
    /* States that the program is right in whichever order ranks are granted the sync variable. */
    sync_set &want_unordered(fagus_sync sync, fagus_mode mode) {
        check(fagus_set_sync_unordered(set, sync, mode));
        return *this;
    }
    void clear() { check(fagus_clear_set(set)); }
    fagus_sync_set handle() const { return set; }

private:
    fagus_sync_set set;
};

/* A tenure: the constructor acquires the set, the destructor releases it. */
class acquire {
public:
    explicit acquire(const sync_set &s) : set(s.handle()) { check(fagus_acquire(set)); }
    ~acquire() { fagus_release(set); }
    acquire(const acquire &) = delete;
    acquire &operator=(const acquire &) = delete;

private:
    fagus_sync_set set;
};

inline int rank() { return fagus_rank(); }
inline int size() { return fagus_size(); }
inline void barrier() { check(fagus_barrier()); }
inline void fence() { check(fagus_fence()); }
inline void declare_write(const fagus_range &written) { check(fagus_declare_write(written.addr, written.len)); }
/* Reduces one number of each rank: as a double for floating-point types, else as a 64-bit
 * integer. */
template <class T> T reduce(fagus_op op, T x) {
    if constexpr (std::is_floating_point_v<T>) {
        double all;
        check(fagus_reduce_double(op, x, &all));
        return static_cast<T>(all);
    } else {
        std::int64_t all;
        check(fagus_reduce_int64(op, x, &all));
        return static_cast<T>(all);
    }
}
inline void spend(std::int64_t ns) { check(fagus_spend(ns)); }
inline void updatecache() { check(fagus_sync_updatecache()); }

} // namespace fagus

#endif
