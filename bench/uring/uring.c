// Round trips over TCP on the loopback device: with non-blocking system calls, as the tcp port of
// Fagus makes them, and with io_uring (docs/internals/decisions/0058-no-io-uring.md).
//
//     make -C bench uring && bench/build/uring [BYTES [ROUNDS]]
//
// Two processes on processors 0 and 1. Prints medians of 9 batches, which take turns.
#define _GNU_SOURCE
#include <errno.h>
#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { methods = 4, batches = 9 };
static const char *names[methods] = {"send, recv without waiting", "io_uring", "io_uring, linked", "io_uring, registered"};

static struct io_uring ring;
static char *buffer;
static int size, sock;

static void check(int ok, const char *what) {
	if (!ok) {
		fprintf(stderr, "uring: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

// poll_completions waits for n completions without sleeping.
static void poll_completions(int n) {
	while (n > 0) {
		struct io_uring_cqe *cqe;
		if (io_uring_peek_cqe(&ring, &cqe) != 0) {
			io_uring_get_events(&ring);
			continue;
		}
		check(cqe->res == size, "a transfer is incomplete");
		io_uring_cqe_seen(&ring, cqe);
		n--;
	}
}

static void queue(int method, int sends, int linked) {
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	int fd = method == 3 ? 0 : sock;
	if (sends)
		io_uring_prep_send(sqe, fd, buffer, size, MSG_WAITALL);
	else
		io_uring_prep_recv(sqe, fd, buffer, size, MSG_WAITALL);
	sqe->flags |= (method == 3 ? IOSQE_FIXED_FILE : 0) | (linked ? IOSQE_IO_LINK : 0);
}

static void transfer(int method, int sends) {
	if (method == 0) {
		for (int done = 0; done < size;) {
			ssize_t n = sends ? send(sock, buffer + done, size - done, MSG_DONTWAIT) : recv(sock, buffer + done, size - done, MSG_DONTWAIT);
			check(n > 0 || errno == EAGAIN, "transfer");
			if (n > 0)
				done += n;
		}
		return;
	}
	queue(method, sends, 0);
	check(io_uring_submit(&ring) == 1, "submit");
	poll_completions(1);
}

static void batch(int method, int first, int rounds) {
	if (first && method == 2) { // the send and the receive of the answer in one system call
		for (int i = 0; i < rounds; i++) {
			queue(method, 1, 1);
			queue(method, 0, 0);
			check(io_uring_submit(&ring) == 2, "submit");
			poll_completions(2);
		}
		return;
	}
	for (int i = 0; i < rounds; i++) {
		transfer(method, first);
		transfer(method, !first);
	}
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	size = argc > 1 ? atoi(argv[1]) : 8;
	int rounds = argc > 2 ? atoi(argv[2]) : 2000;
	if (size < 1 || rounds < 1 || argc > 3) {
		fprintf(stderr, "usage: uring [BYTES [ROUNDS]]\n");
		return 2;
	}
	buffer = calloc(1, size);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	check(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0, "listen");
	check(getsockname(listener, (struct sockaddr *)&at, &length) == 0, "getsockname");
	pid_t child = fork();
	check(child >= 0, "fork");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sock = socket(AF_INET, SOCK_STREAM, 0);
		check(connect(sock, (struct sockaddr *)&at, sizeof at) == 0, "connect");
	} else {
		sock = accept(listener, NULL, NULL);
		check(sock >= 0, "accept");
	}
	alarm(60);
	int on = 1;
	setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	cpu_set_t cpu;
	CPU_ZERO(&cpu);
	CPU_SET(child == 0, &cpu);
	sched_setaffinity(0, sizeof cpu, &cpu);
	struct io_uring_params params = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
	int failed = io_uring_queue_init_params(8, &ring, &params);
	errno = -failed;
	check(failed == 0, "io_uring");
	check(io_uring_register_files(&ring, &sock, 1) == 0, "register");
	double times[methods][batches];
	for (int b = 0; b < batches; b++)
		for (int m = 0; m < methods; m++) {
			struct timespec begin, end;
			clock_gettime(CLOCK_MONOTONIC, &begin);
			batch(m, child != 0, rounds);
			clock_gettime(CLOCK_MONOTONIC, &end);
			times[m][b] = ((end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec) / rounds;
		}
	if (child == 0)
		return 0;
	for (int m = 0; m < methods; m++) {
		qsort(times[m], batches, sizeof times[m][0], compare);
		printf("%-28s %8d bytes  %10.0f ns there and back\n", names[m], size, times[m][batches / 2]);
	}
	return 0;
}
