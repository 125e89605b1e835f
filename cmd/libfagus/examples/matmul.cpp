// matmul.c in C++, with one sync variable for the rows of each rank. The end of a scope releases
// the set that it acquired.
//
//     fagus launch -n 4 -- ./matmul_cpp 512
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fagus.hpp"

// Fills x with numbers between -1 and 1, the same on every machine.
static void fill(const fagus::array<double> &x, std::uint64_t state) {
    for (double &y : x) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        y = static_cast<double>(static_cast<std::int32_t>(state >> 40)) / (1 << 23) - 1;
    }
}

static void product(std::size_t n) {
    fagus::run run;
    const std::size_t size = fagus::size(), rank = fagus::rank();
    fagus::array<double> a("A", n * n), b("B", n * n), c("C", n * n);
    fagus_sync guard_b = fagus::bind("B", {b.all()});
    fagus::sync_set input, mine, all;
    if (rank == 0) input.want(guard_b, FAGUS_EXCLUSIVE);
    mine.want(guard_b, FAGUS_SHARED);
    std::size_t lo = 0, hi = 0;
    for (std::size_t r = 0; r < size; r++) { // each rank has a block of rows
        std::size_t from = n * r / size, to = n * (r + 1) / size;
        if (from == to) continue;
        fagus_sync of_a = fagus::bind("A." + std::to_string(r), {a.range(from * n, to * n)});
        fagus_sync of_c = fagus::bind("C." + std::to_string(r), {c.range(from * n, to * n)});
        if (rank == 0) {
            input.want(of_a, FAGUS_EXCLUSIVE);
            all.want(of_c, FAGUS_SHARED);
        }
        if (r == rank) {
            mine.want(of_a, FAGUS_SHARED).want(of_c, FAGUS_EXCLUSIVE);
            lo = from, hi = to;
        }
    }
    {
        fagus::acquire held(input);
        if (rank == 0) fill(a, 1), fill(b, 2);
    }
    fagus::fence();
    {
        fagus::acquire held(mine);
        for (std::size_t i = lo; i < hi; i++)
            for (std::size_t l = 0; l < n; l++)
                for (std::size_t j = 0; j < n; j++) c[i * n + j] = std::fma(a[i * n + l], b[l * n + j], c[i * n + j]);
    }
    fagus::fence();
    {
        fagus::acquire held(all);
        double sum = 0;
        for (double x : c) sum += x;
        if (rank == 0) std::printf("%zu x %zu on %zu ranks: sum %.17g\n", n, n, size, sum);
    }
    run.finish();
}

int main(int argc, char **argv) {
    try {
        product(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 512);
    } catch (const fagus::error &e) {
        std::fprintf(stderr, "matmul: %s\n", e.what());
        return 1;
    }
}
