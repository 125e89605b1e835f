// The calls of libpmix that package pmi makes. Functions that return an int return a pmix_status_t:
// 0, or what fagus_pmix_error explains. All but fagus_pmix_error may wait for other processes.

#include <stddef.h>
#include <stdint.h>

// open connects with the server and tells the process's job, its rank and the number of ranks.
// When the connection is lost later, a byte is written to the descriptor lost.
int fagus_pmix_open(char *job, size_t bytes, uint32_t *rank, uint32_t *size, int lost);

// put publishes bytes, which all ranks can get after the next fence.
int fagus_pmix_put(const char *key, const void *data, size_t bytes);

int fagus_pmix_fence(void);

// get allocates *data. A value that is missing makes it fail after the given time.
int fagus_pmix_get(uint32_t rank, const char *key, int seconds, void **data, size_t *bytes);

int fagus_pmix_finalize(void);

const char *fagus_pmix_error(int status);
