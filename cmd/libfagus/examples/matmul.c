/* C = A x B as in the paper: one sync variable for each row of A and C. Rank r computes rows r,
 * r + size, ... Rank 0 initializes A and B.
 *
 *     fagus launch -n 4 -- ./matmul 512 [FOLDER]
 *
 * Every element of C is a chain of fused multiply-adds in the order of k, bitwise equal to that
 * of `fagus run matmul`. If FOLDER is given, rank 0 writes a.npy, b.npy and c.npy to it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fagus.h"

static void check(int code, const char *call) {
    if (code == FAGUS_OK) return;
    fprintf(stderr, "matmul: %s: %s\n", call, fagus_last_error());
    exit(1);
}
#define CHECK(call) check(call, #call)

static size_t n;
static double *a, *b, *c;

/* Returns the range of row i of a matrix. */
static fagus_range row(double *of, size_t i) { return (fagus_range){of + i * n, n * sizeof *of}; }

static fagus_sync bind_row(const char *matrix, double *of, size_t i) {
    char name[32];
    fagus_sync sync;
    fagus_range range = row(of, i);
    snprintf(name, sizeof name, "%s.%zu", matrix, i);
    CHECK(fagus_bind(name, &range, 1, &sync));
    return sync;
}

static double *alloc(const char *name) {
    void *at;
    CHECK(fagus_alloc(name, n * n * sizeof(double), &at));
    return at;
}

static fagus_sync_set new_set(void) {
    fagus_sync_set set;
    CHECK(fagus_new_set(&set));
    return set;
}

/* Fills x with numbers between -1 and 1, the same on every machine. */
static void fill(double *x, uint64_t state) {
    for (size_t i = 0; i < n * n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(int32_t)(state >> 40) / (1 << 23) - 1;
    }
}

/* Computes rows of C, using one block of rows of B at a time so that the block stays in the
 * cache. */
static void multiply(const size_t *rows, size_t count) {
    enum { block = 64 };
    for (size_t l0 = 0; l0 < n; l0 += block)
        for (size_t r = 0; r < count; r++)
            for (size_t i = rows[r], l = l0; l < n && l < l0 + block; l++) {
                double x = a[i * n + l];
                for (size_t j = 0; j < n; j++) c[i * n + j] = fma(x, b[l * n + j], c[i * n + j]);
            }
}

static void write_npy(const char *folder, const char *name, const double *x) {
    char path[4096], header[128 - 10];
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    FILE *f = fopen(path, "wb");
    int used = snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", n, n);
    memset(header + used, ' ', sizeof header - used);
    header[sizeof header - 1] = '\n';
    if (!f || fwrite("\x93NUMPY\1\0\x76\0", 1, 10, f) != 10 || fwrite(header, 1, sizeof header, f) != sizeof header ||
        fwrite(x, sizeof *x, n * n, f) != n * n || fclose(f)) {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv) {
    n = argc > 1 ? strtoul(argv[1], NULL, 10) : 512;
    if (n < 1 || n > 32768) {
        fprintf(stderr, "matmul: order %s: want 1 to 32768\n", argv[1]);
        return 2;
    }
    CHECK(fagus_init());
    int rank = fagus_rank(), size = fagus_size();
    a = alloc("A"), b = alloc("B"), c = alloc("C");

    fagus_sync whole_b;
    fagus_range all_b = {b, n * n * sizeof *b};
    CHECK(fagus_bind("B", &all_b, 1, &whole_b));
    fagus_sync_set input = new_set(), product = new_set();
    size_t *rows = malloc(n * sizeof *rows), count = 0;
    if (rank == 0) CHECK(fagus_set_sync(input, whole_b, FAGUS_EXCLUSIVE));
    CHECK(fagus_set_sync(product, whole_b, FAGUS_SHARED));
    for (size_t i = 0; i < n; i++) {
        fagus_sync of_a = bind_row("A", a, i), of_c = bind_row("C", c, i);
        if (rank == 0) { /* acquires C too, so that the update sends it here */
            CHECK(fagus_set_sync(input, of_a, FAGUS_EXCLUSIVE));
            CHECK(fagus_set_sync(input, of_c, FAGUS_TELLING));
        }
        if ((int)(i % size) == rank) {
            CHECK(fagus_set_sync(product, of_a, FAGUS_SHARED));
            CHECK(fagus_set_sync(product, of_c, FAGUS_TELLING));
            rows[count++] = i;
        }
    }

    CHECK(fagus_acquire(input));
    if (rank == 0) fill(a, 1), fill(b, 2);
    CHECK(fagus_release(input));
    CHECK(fagus_fence()); /* the tenures below come after the tenures above, on all ranks */

    CHECK(fagus_acquire(product)); /* a communication phase: fetches A and B */
    multiply(rows, count);         /* a compute phase */
    for (size_t r = 0; r < count; r++) CHECK(fagus_declare_write(c + rows[r] * n, n * sizeof *c));
    CHECK(fagus_release(product));   /* no communication */
    CHECK(fagus_sync_updatecache()); /* a communication phase: sends C to rank 0 */

    if (rank == 0) {
        double sum = 0;
        for (size_t i = 0; i < n * n; i++) sum += c[i];
        printf("%zu x %zu on %d ranks: sum %.17g\n", n, n, size, sum);
        if (argc > 2) write_npy(argv[2], "a", a), write_npy(argv[2], "b", b), write_npy(argv[2], "c", c);
    }
    free(rows);
    CHECK(fagus_finalize());
    return 0;
}
