// Uses the parts of fagus.hpp that examples/matmul.cpp does not use.
#include <cstdio>

#include "fagus.hpp"

int main() {
    fagus::run run;
    fagus::array<int> a("a", 10);
    fagus_sync v = fagus::bind("v", {a.range(2, 5)});
    fagus::sync_set set;
    set.want(v, FAGUS_TELLING);
    {
        fagus::acquire tenure(set);
        a[3] += fagus::rank() + 1;
        fagus::declare_write(a.range(3, 4));
    }
    fagus::updatecache();
    set.clear();
    set.want_unordered(v, FAGUS_SHARED);
    fagus::fence();
    fagus::spend(5);
    int sum = fagus::reduce(FAGUS_SUM, 1 + fagus::rank());
    float least = fagus::reduce(FAGUS_MIN, 1.5f + fagus::rank());
    {
        fagus::acquire tenure(set);
        std::printf("%d %d %g\n", a[3], sum, least);
    }
    fagus::barrier();
    int code = FAGUS_OK;
    try {
        set.want(v, FAGUS_SHARED);
    } catch (const fagus::error &e) {
        code = e.code;
    }
    run.finish();
    return code == FAGUS_ERR_TWICE ? 0 : 1;
}
