/* Rank 1 sends garbage to the simulator; rank 0 prints the result of its barrier. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fagus.h"

int main(void) {
    const char *line = getenv("FAGUS_LINE"), *rank = getenv("FAGUS_RANK");
    if (!line || !rank || strncmp(line, "fd:", 3)) return 1;
    if (!strcmp(rank, "1")) {
        char noise[1000];
        memset(noise, 0xff, sizeof noise);
        if (write(atoi(line + 3), noise, sizeof noise) < 0) return 1;
        return read(atoi(line + 3), noise, sizeof noise) > 0; /* until the end of the connection */
    }
    if (fagus_init()) return 1;
    printf("%d\n", fagus_barrier());
    fflush(stdout);
    return 0;
}
