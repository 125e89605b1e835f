// One rank of a job of a peer, which runs measurements for `fagus bench --peers`:
//
//	mpirun -n RANKS peer.openmpi CPU0,CPU1,... SOCKET
//
// It is built with the operations in one folder: mpi, shmem or fabric. Each
// rank connects to the Unix socket and sends "rank R", or "rank R over PROVIDER..." if the library
// has opened providers of libfabric. It then receives lines "OPERATION SIZE COUNT", the same
// at both ranks, and answers each with the nanoseconds that COUNT operations took after a barrier.
// Between commands it sleeps in read, because waiting in the library would spin while another
// system is measured. It exits when the connection is closed.
#define _GNU_SOURCE
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

static void die(const char *what)
{
	fprintf(stderr, "peer: rank %d: ", rank);
	perror(what);
	_exit(1);
}

// pin binds this process to a processor of the list, which has numbers separated by commas. The
// ranks take the processors in turns. "any" undoes the binding by a launcher.
static void pin(const char *list)
{
	int cpus[MOST_RANKS], n = 0, end = 0;
	cpu_set_t set;
	CPU_ZERO(&set);
	if (strcmp(list, "any") == 0) {
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof set, &set) != 0)
			die("sched_setaffinity");
		return;
	}
	while (n < MOST_RANKS && sscanf(list, "%d%n", &cpus[n], &end) == 1 && cpus[n] >= 0) {
		n++;
		list += end;
		if (*list != ',')
			break;
		list++;
	}
	if (n == 0 || *list) {
		fprintf(stderr, "peer: processors end in \"%s\": want 1 to %d numbers separated by commas\n", list, MOST_RANKS);
		exit(2);
	}
	CPU_SET(cpus[rank % n], &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		die("sched_setaffinity");
}

// driver is the connection, as two streams: with one, switching from reading to writing would
// lose a command that has already been read into its buffer.
static struct {
	FILE *commands, *answers;
} driver;

static void join(const char *path)
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
	driver.commands = fdopen(fd, "r");
	driver.answers = fdopen(dup(fd), "w");
	if (!driver.commands || !driver.answers)
		die("fdopen");
	setvbuf(driver.answers, NULL, _IOLBF, 0);
}

static void answer(const char *name, long size, long count)
{
	const struct named *one = operations;
	while (one->name && strcmp(one->name, name) != 0)
		one++;
	if (!one->name) {
		fprintf(driver.answers, "error: unknown operation \"%s\"\n", name);
		return;
	}
	if (one->pair && ranks != 2) {
		fprintf(driver.answers, "error: operation \"%s\" on %d ranks: want 2\n", name, ranks);
		return;
	}
	alarm(SECONDS);
	library_barrier();
	uint64_t took = one->run(size, count);
	alarm(0);
	fprintf(driver.answers, "%llu\n", (unsigned long long)took);
}

int main(int argc, char **argv)
{
	alarm(SECONDS);
	prctl(PR_SET_PDEATHSIG, SIGKILL); // exit when the launcher is killed
	library_start(&argc, &argv);
	if (argc != 3 || ranks < 2 || ranks > MOST_RANKS) {
		fprintf(stderr, "usage: mpirun -n RANKS %s CPU0,CPU1,... SOCKET, with 2 to %d ranks\n", argv[0], MOST_RANKS);
		exit(2);
	}
	pin(argv[1]);
	join(argv[2]);
	fprintf(driver.answers, "rank %d%s%s\n", rank, *opened_providers() ? " over" : "", opened_providers());
	alarm(0);

	char line[128], name[32];
	long size, count;
	while (fgets(line, sizeof line, driver.commands)) {
		if (sscanf(line, "%31s %ld %ld", name, &size, &count) != 3 || size < 0 || count < 1)
			fprintf(driver.answers, "error: command: want OPERATION SIZE COUNT\n");
		else
			answer(name, size, count);
	}
	alarm(SECONDS);
	library_end();
	return 0;
}
