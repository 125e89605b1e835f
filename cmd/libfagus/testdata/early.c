/* Rank 1 exits without fagus_finalize; rank 0 prints its error. */
#include <stdio.h>

#include "fagus.h"

int main(void) {
    if (fagus_init()) return 1;
    if (fagus_rank() == 1) return 0;
    int code = fagus_barrier();
    printf("%d %s\n", code, fagus_last_error());
    return 0;
}
