// One rank of an MPI job that runs measurements for `fagus bench --peers`:
//
//	mpirun -n 2 peer.openmpi CPU0,CPU1 SOCKET
//
// Each rank connects to the Unix socket and sends "rank R". It then receives lines "OPERATION SIZE
// COUNT", the same at both ranks, and answers each with the nanoseconds that COUNT operations took
// after a barrier. Between commands it sleeps in read, because waiting in MPI would spin while
// another system is measured. It exits when the connection is closed.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "peer.h"

// The process ends itself if its start or a command takes longer.
enum { SECONDS = 120 };

static const struct {
	const char *name;
	operation *run;
} operations[] = {
	{"barrier", barrier},
	{"sum", sum},
	{"round-trip", round_trip},
	{"stream", stream},
	{"stream-read", stream_read},
	{"window-hand-over", window_hand_over},
	{"shared-hand-over", shared_hand_over},
	{"window-stream", window_stream},
	{"matmul", matmul},
	{"product", product},
};

static void die(const char *what)
{
	fprintf(stderr, "peer: rank %d: ", rank);
	perror(what);
	_exit(1);
}

// pin binds this process to the processor of its rank. list has two processor numbers.
static void pin(const char *list)
{
	int cpus[2];
	cpu_set_t set;
	if (sscanf(list, "%d,%d", &cpus[0], &cpus[1]) != 2) {
		fprintf(stderr, "peer: processors \"%s\": want two numbers separated by a comma\n", list);
		exit(2);
	}
	CPU_ZERO(&set);
	CPU_SET(cpus[rank], &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		die("sched_setaffinity");
}

static FILE *join(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die("socket");
	if (strlen(path) >= sizeof address.sun_path) {
		fprintf(stderr, "peer: the path of the socket is too long: %s\n", path);
		exit(2);
	}
	strcpy(address.sun_path, path);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
		die(path);
	FILE *driver = fdopen(fd, "r+");
	if (!driver)
		die("fdopen");
	setvbuf(driver, NULL, _IOLBF, 0);
	return driver;
}

static void answer(FILE *driver, const char *name, long size, long count)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		if (strcmp(operations[i].name, name) != 0)
			continue;
		alarm(SECONDS);
		MPI_Barrier(MPI_COMM_WORLD);
		uint64_t took = operations[i].run(size, count);
		alarm(0);
		fprintf(driver, "%llu\n", (unsigned long long)took);
		return;
	}
	fprintf(driver, "error: unknown operation \"%s\"\n", name);
}

int main(int argc, char **argv)
{
	int ranks;
	alarm(SECONDS);
	prctl(PR_SET_PDEATHSIG, SIGKILL); // exit when the launcher is killed
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 3 || ranks != 2) {
		fprintf(stderr, "usage: mpirun -n 2 %s CPU0,CPU1 SOCKET\n", argv[0]);
		exit(2);
	}
	pin(argv[1]);
	FILE *driver = join(argv[2]);
	fprintf(driver, "rank %d\n", rank);
	alarm(0);

	char line[128], name[32];
	long size, count;
	while (fgets(line, sizeof line, driver)) {
		if (sscanf(line, "%31s %ld %ld", name, &size, &count) != 3 || size < 0 || count < 1)
			fprintf(driver, "error: command: want OPERATION SIZE COUNT\n");
		else
			answer(driver, name, size, count);
	}
	alarm(SECONDS);
	free_windows();
	MPI_Finalize();
	return 0;
}
