// The peer without a library: libfabric's own calls. The provider is FABRIC_PROVIDER, as fi_info
// prints it. Two ranks find each other by files beside the driver's socket.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "fabric.h"

const struct named operations[] = {
	{"barrier", barrier, 1},
	{"round-trip", round_trip, 1},
	{"hand-over", hand_over, 1},
	{"stream", stream, 1},
	{"put-round-trip", put_round_trip, 1},
	{"put-stream", put_stream, 1},
	{0},
};

struct region {
	void *memory;
	long bytes;
	struct fid_mr *mr;
	uint64_t key, address; // of the peer's memory
};

static struct {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_ep *ep;
	struct fid_av *av;
	struct fid_cq *received, *sent;
	fi_addr_t peer;
	char folder[256];
	int swaps;     // of this process
	long receives; // posted and not yet received
	long sends;    // begun and not yet complete
} port;

static void check(const char *what, long ret)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "peer: rank %d: %s: %s\n", rank, what, fi_strerror(-ret));
	exit(1);
}

static int number(const char *variable)
{
	const char *text = getenv(variable);
	if (!text) {
		fprintf(stderr, "peer: %s is not set\n", variable);
		exit(2);
	}
	return atoi(text);
}

// swap gives own to the other rank and gets its bytes, by files.
static void swap(const void *own, void *other, size_t bytes)
{
	char temporary[300], name[300];
	snprintf(temporary, sizeof temporary, "%s.new%d", port.folder, rank);
	snprintf(name, sizeof name, "%s.%d.%d", port.folder, rank, port.swaps);
	FILE *f = fopen(temporary, "w");
	if (!f || fwrite(own, 1, bytes, f) != bytes || fclose(f) != 0 || rename(temporary, name) != 0) {
		perror(name);
		exit(1);
	}
	snprintf(name, sizeof name, "%s.%d.%d", port.folder, 1 - rank, port.swaps++);
	while (!(f = fopen(name, "r"))) {
		progress(); // the peer may still need an answer
		usleep(1000);
	}
	if (fread(other, 1, bytes, f) != bytes)
		check(name, -EIO);
	fclose(f);
	unlink(name);
}

static struct fi_info *hints(const char *provider)
{
	struct fi_info *h = fi_allocinfo();
	h->caps = FI_MSG | FI_RMA;
	h->mode = FI_CONTEXT;
	h->ep_attr->type = FI_EP_RDM;
	h->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	h->domain_attr->resource_mgmt = FI_RM_ENABLED;
	h->domain_attr->threading = FI_THREAD_DOMAIN;
	h->tx_attr->msg_order = h->rx_attr->msg_order = FI_ORDER_SAS;
	h->fabric_attr->prov_name = strdup(provider);
	return h;
}

void library_start(int *argc, char ***argv)
{
	rank = number("FAGUS_RANK");
	ranks = number("FAGUS_SIZE");
	const char *provider = getenv("FABRIC_PROVIDER");
	if (*argc != 3 || ranks != 2 || !provider || strlen((*argv)[2]) >= sizeof port.folder) {
		fprintf(stderr, "peer: want 2 ranks, FABRIC_PROVIDER and a socket with a short path\n");
		exit(2);
	}
	strcpy(port.folder, (*argv)[2]);
	struct fi_info *want = hints(provider), *one;
	check(provider, fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, want, &port.info));
	for (one = port.info; one && strcmp(one->fabric_attr->prov_name, provider) != 0;)
		one = one->next;
	if (!one)
		check(provider, -FI_ENODATA);
	struct fi_av_attr av = {.type = FI_AV_TABLE, .count = 2};
	struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_CONTEXT};
	check("fi_fabric", fi_fabric(one->fabric_attr, &port.fabric, NULL));
	check("fi_domain", fi_domain(port.fabric, one, &port.domain, NULL));
	port.info = one;
	check("fi_av_open", fi_av_open(port.domain, &av, &port.av, NULL));
	check("fi_cq_open", fi_cq_open(port.domain, &cq, &port.received, NULL));
	check("fi_cq_open", fi_cq_open(port.domain, &cq, &port.sent, NULL));
	check("fi_endpoint", fi_endpoint(port.domain, one, &port.ep, NULL));
	check("fi_ep_bind", fi_ep_bind(port.ep, &port.av->fid, 0));
	check("fi_ep_bind", fi_ep_bind(port.ep, &port.received->fid, FI_RECV));
	check("fi_ep_bind", fi_ep_bind(port.ep, &port.sent->fid, FI_TRANSMIT));
	check("fi_enable", fi_enable(port.ep));
	struct {
		size_t bytes;
		char name[504];
	} own = {.bytes = sizeof own.name}, other;
	check("fi_getname", fi_getname(&port.ep->fid, own.name, &own.bytes));
	swap(&own, &other, sizeof own);
	if (fi_av_insert(port.av, other.name, 1, &port.peer, 0, NULL) != 1)
		check("fi_av_insert", -FI_EINVAL);
}

void library_end(void) { _exit(0); }

static long reap(struct fid_cq *cq, const char *what)
{
	struct fi_cq_entry done[8];
	ssize_t n = fi_cq_read(cq, done, 8);
	if (n == -FI_EAVAIL) {
		struct fi_cq_err_entry e = {0};
		fi_cq_readerr(cq, &e, 0);
		check(what, -e.err);
	}
	if (n == -FI_EAGAIN)
		return 0;
	check(what, n);
	return n;
}

void progress(void)
{
	if (!port.ep)
		return;
	port.receives -= reap(port.received, "receive");
	port.sends -= reap(port.sent, "send");
}

struct region *region(int name, long bytes)
{
	static struct region regions[BUFFER_C + 1];
	struct region *r = &regions[name];
	if (r->bytes == bytes)
		return r;
	if (r->mr)
		check("fi_close", fi_close(&r->mr->fid));
	r->memory = buffer(name, bytes);
	r->bytes = bytes;
	check("fi_mr_reg", fi_mr_reg(port.domain, r->memory, bytes, FI_SEND | FI_RECV | FI_WRITE | FI_REMOTE_WRITE, 0, name + 1, 0, &r->mr, NULL));
	int virtual = port.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
	uint64_t own[2] = {fi_mr_key(r->mr), virtual ? (uintptr_t)r->memory : 0}, other[2];
	swap(own, other, sizeof own);
	r->key = other[0];
	r->address = other[1];
	return r;
}

void *memory(const struct region *r) { return r->memory; }

static struct fi_context contexts[4];

void post_receive(struct region *r, long bytes)
{
	ssize_t ret;
	while ((ret = fi_recv(port.ep, r->memory, bytes, fi_mr_desc(r->mr), port.peer, &contexts[0])) == -FI_EAGAIN)
		progress();
	check("fi_recv", ret);
	port.receives++;
}

int injectable(long bytes) { return bytes <= (long)port.info->tx_attr->inject_size; }

void transmit(struct region *r, long bytes)
{
	ssize_t ret;
	int inject = injectable(bytes);
	do {
		ret = inject ? fi_inject(port.ep, r->memory, bytes, port.peer)
			     : fi_send(port.ep, r->memory, bytes, fi_mr_desc(r->mr), port.peer, &contexts[1]);
		if (ret == -FI_EAGAIN)
			progress();
	} while (ret == -FI_EAGAIN);
	check("fi_send", ret);
	port.sends += !inject;
	while (!inject && port.sends > 0)
		progress();
}

void receive(void)
{
	while (port.receives > 0)
		progress();
}

void put(struct region *r, long at, long bytes)
{
	struct iovec from = {(char *)r->memory + at, bytes};
	struct fi_rma_iov to = {r->address + at, bytes, r->key};
	void *desc = fi_mr_desc(r->mr);
	struct fi_msg_rma m = {.msg_iov = &from, .desc = &desc, .iov_count = 1, .addr = port.peer, .rma_iov = &to, .rma_iov_count = 1, .context = &contexts[2]};
	ssize_t ret;
	while ((ret = fi_writemsg(port.ep, &m, FI_COMPLETION | FI_DELIVERY_COMPLETE)) == -FI_EAGAIN)
		progress();
	check("fi_writemsg", ret);
	port.sends++;
}

void flush(void)
{
	while (port.sends > 0)
		progress();
}

void library_barrier(void) { barrier(0, 1); }
