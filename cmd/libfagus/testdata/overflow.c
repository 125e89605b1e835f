/* Writes one byte behind an allocation: valgrind must report that write and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "fagus.h"

int main(void) {
    void *shared;
    char *volatile own = malloc(10);
    if (!own || fagus_init() || fagus_alloc("a", 100, &shared)) return 1;
    memset(shared, 1, 100);
    own[10] = 1;
    free(own);
    return fagus_finalize();
}
