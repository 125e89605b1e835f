//go:build ofi && linux

#include "shim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

// One operation in progress. Providers may use the context, so it comes first.
typedef struct {
	struct fi_context2 context;
	uint64_t id;
	struct fid_mr *region; // local memory of a move, where the provider wants it registered
} operation;

struct fagus_ofi {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	fagus_ofi_info about;
	size_t receives, sends, slots, bytes;
	char *buffers; // first the receive buffers
	struct fid_mr *buffers_region;
	void *descriptor;
	operation *operations; // of receives and sends
	operation **moves;     // by slot; one by one, because providers keep their addresses
	uint64_t next_key;
};

// When provider shm opens an endpoint, it replaces the handlers of these signals by handlers that
// run on the stack of a goroutine. Go needs its own.
static const int kept[] = {SIGBUS, SIGSEGV, SIGTERM, SIGINT, SIGABRT};
enum { kept_count = sizeof kept / sizeof *kept };

static void keep_signals(struct sigaction *old)
{
	for (int i = 0; i < kept_count; i++)
		sigaction(kept[i], NULL, &old[i]);
}

static void restore_signals(const struct sigaction *old)
{
	for (int i = 0; i < kept_count; i++)
		sigaction(kept[i], &old[i], NULL);
}

static struct fi_info *hints(const char *provider, int asks)
{
	struct fi_info *h = fi_allocinfo();
	if (!h)
		return NULL;
	if (asks & FAGUS_OFI_TYPE)
		h->ep_attr->type = FI_EP_RDM;
	h->caps = (asks & FAGUS_OFI_MESSAGES ? FI_MSG : 0) | (asks & FAGUS_OFI_READS ? FI_RMA : 0);
	h->mode = FI_CONTEXT | FI_CONTEXT2;
	h->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
	if (!(asks & FAGUS_OFI_MODES)) {
		h->mode |= FI_MSG_PREFIX | FI_ASYNC_IOV | FI_RX_CQ_DATA;
		h->domain_attr->mr_mode |= FI_MR_RAW | FI_MR_MMU_NOTIFY | FI_MR_RMA_EVENT | FI_MR_HMEM | FI_MR_COLLECTIVE;
	}
	if (asks & FAGUS_OFI_THREADS)
		h->domain_attr->threading = FI_THREAD_DOMAIN;
	// Without this, provider net starts a thread that competes with the ranks for processors.
	if (asks & FAGUS_OFI_PROGRESS)
		h->domain_attr->data_progress = h->domain_attr->control_progress = FI_PROGRESS_MANUAL;
	if (asks & FAGUS_OFI_RESOURCES)
		h->domain_attr->resource_mgmt = FI_RM_ENABLED;
	if (asks & FAGUS_OFI_ORDER)
		h->tx_attr->msg_order = h->rx_attr->msg_order = FI_ORDER_SAS;
	if (provider && *provider)
		h->fabric_attr->prov_name = strdup(provider);
	return h;
}

static int get(const char *provider, const char *node, int asks, struct fi_info **list)
{
	struct fi_info *h = hints(provider, asks);
	if (!h)
		return -FI_ENOMEM;
	if (node && !*node)
		node = NULL;
	int r = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), node, NULL, node ? FI_SOURCE : 0, h, list);
	fi_freeinfo(h);
	return r;
}

static void copy(char *to, size_t bytes, const char *from) { snprintf(to, bytes, "%s", from ? from : ""); }

static void describe(const struct fi_info *i, fagus_ofi_info *to)
{
	memset(to, 0, sizeof *to);
	copy(to->provider, sizeof to->provider, i->fabric_attr->prov_name);
	copy(to->fabric, sizeof to->fabric, i->fabric_attr->name);
	copy(to->domain, sizeof to->domain, i->domain_attr->name);
	if (i->nic && i->nic->bus_attr && i->nic->bus_attr->bus_type == FI_BUS_PCI) {
		struct fi_pci_attr *p = &i->nic->bus_attr->attr.pci;
		snprintf(to->pci, sizeof to->pci, "%04x:%02x:%02x.%x", p->domain_id, p->bus_id, p->device_id, p->function_id);
	}
	to->mr_mode = i->domain_attr->mr_mode;
	to->message_order = i->tx_attr->msg_order & i->rx_attr->msg_order;
	to->inject = i->tx_attr->inject_size;
	to->data_progress = i->domain_attr->data_progress;
	fi_tostr_r(to->format, sizeof to->format, &i->addr_format, FI_TYPE_ADDR_FORMAT);
}

uint32_t fagus_ofi_version(void) { return fi_version(); }

int fagus_ofi_list(const char *provider, const char *node, int asks, fagus_ofi_info *all, int most)
{
	struct sigaction old[kept_count];
	struct fi_info *list = NULL;
	keep_signals(old);
	int r = get(provider, node, asks, &list), n = 0;
	restore_signals(old);
	if (r)
		return r;
	for (struct fi_info *i = list; i && n < most; i = i->next)
		describe(i, &all[n++]);
	fi_freeinfo(list);
	return n;
}

// Registers memory; address and key are for peers, and may be NULL.
static int expose(fagus_ofi *f, void *p, size_t n, uint64_t access, struct fid_mr **region, uint64_t *address, uint64_t *key)
{
	int r = fi_mr_reg(f->domain, p, n, access, 0, ++f->next_key, 0, region, NULL);
	if (r)
		return r;
	if (f->about.mr_mode & FI_MR_ENDPOINT) {
		if ((r = fi_mr_bind(*region, &f->ep->fid, 0)) || (r = fi_mr_enable(*region))) {
			fi_close(&(*region)->fid);
			return r;
		}
	}
	if (address)
		*address = f->about.mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)p : 0;
	if (key)
		*key = fi_mr_key(*region);
	return 0;
}

static int post(fagus_ofi *f, size_t i)
{
	return (int)fi_recv(f->ep, fagus_ofi_receive_buffer(f, i), f->bytes, f->descriptor, FI_ADDR_UNSPEC, &f->operations[i]);
}

static int open_all(fagus_ofi *f, const char **what)
{
	int r;
	size_t n = f->receives + f->sends;

	*what = "opening the fabric";
	if ((r = fi_fabric(f->info->fabric_attr, &f->fabric, NULL)))
		return r;
	*what = "opening the domain";
	if ((r = fi_domain(f->fabric, f->info, &f->domain, NULL)))
		return r;
	*what = "opening the address vector";
	struct fi_av_attr av = {.type = FI_AV_UNSPEC};
	if ((r = fi_av_open(f->domain, &av, &f->av, NULL)))
		return r;
	*what = "opening the completion queue";
	// No descriptor to wait for: provider shm has none. A sleeper looks at intervals (fabric.Wait).
	struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_NONE};
	if ((r = fi_cq_open(f->domain, &cq, &f->cq, NULL)))
		return r;
	*what = "opening the endpoint";
	if ((r = fi_endpoint(f->domain, f->info, &f->ep, NULL)) || (r = fi_ep_bind(f->ep, &f->av->fid, 0)) ||
		(r = fi_ep_bind(f->ep, &f->cq->fid, FI_TRANSMIT | FI_RECV)))
		return r;
	*what = "enabling the endpoint";
	if ((r = fi_enable(f->ep)))
		return r;
	*what = "allocating buffers";
	f->operations = calloc(n, sizeof *f->operations);
	if (!f->operations || posix_memalign((void **)&f->buffers, 4096, n * f->bytes))
		return -FI_ENOMEM;
	memset(f->buffers, 0, n * f->bytes);
	if (f->about.mr_mode & FI_MR_LOCAL) {
		*what = "registering buffers";
		if ((r = expose(f, f->buffers, n * f->bytes, FI_SEND | FI_RECV, &f->buffers_region, NULL, NULL)))
			return r;
		f->descriptor = fi_mr_desc(f->buffers_region);
	}
	for (size_t i = 0; i < n; i++)
		f->operations[i].id = i + 1;
	*what = "posting receive buffers";
	for (size_t i = 0; i < f->receives; i++)
		if ((r = post(f, i)))
			return r;
	return 0;
}

int fagus_ofi_open(const char *provider, const char *node, const char *domain, size_t receives, size_t sends,
	size_t bytes, fagus_ofi **out, const char **what)
{
	struct sigaction old[kept_count];
	struct fi_info *list = NULL;
	keep_signals(old);
	*what = "asking for endpoints";
	int r = get(provider, node, FAGUS_OFI_ALL, &list);
	if (r) {
		restore_signals(old);
		return r;
	}
	struct fi_info *i = list;
	while (i && *domain && strcmp(i->domain_attr->name, domain))
		i = i->next;
	fagus_ofi *f = calloc(1, sizeof *f);
	if (!f || !i) {
		restore_signals(old);
		fi_freeinfo(list);
		free(f);
		return i ? -FI_ENOMEM : -FI_ENODATA;
	}
	f->info = fi_dupinfo(i);
	fi_freeinfo(list);
	f->receives = receives, f->sends = sends, f->bytes = bytes;
	describe(f->info, &f->about);
	// If this side chooses the keys of memory, processes outside the run must not guess them.
	if (f->info->domain_attr->mr_key_size >= sizeof f->next_key && getrandom(&f->next_key, sizeof f->next_key, 0) > 0)
		f->next_key >>= 1; // never near FI_KEY_NOTAVAIL
	r = open_all(f, what);
	restore_signals(old);
	if (r) {
		fagus_ofi_close(f);
		return r;
	}
	*out = f;
	return 0;
}

static void shut(void *object)
{
	if (object)
		fi_close((struct fid *)object); // an error here has no consequence: the process goes on without it
}

void fagus_ofi_close(fagus_ofi *f)
{
	shut(f->ep);
	for (size_t i = 0; i < f->slots; i++)
		fagus_ofi_move_end(f, i);
	shut(f->buffers_region);
	shut(f->cq);
	shut(f->av);
	shut(f->domain);
	shut(f->fabric);
	for (size_t i = 0; i < f->slots; i++)
		free(f->moves[i]);
	free(f->moves);
	free(f->operations);
	free(f->buffers);
	fi_freeinfo(f->info);
	free(f);
}

const fagus_ofi_info *fagus_ofi_about(const fagus_ofi *f) { return &f->about; }
int fagus_ofi_name(fagus_ofi *f, void *name, size_t *bytes) { return fi_getname(&f->ep->fid, name, bytes); }
const char *fagus_ofi_error(int error) { return fi_strerror(error < 0 ? -error : error); }

const char *fagus_ofi_provider_error(fagus_ofi *f, int error)
{
	const char *text = error ? fi_cq_strerror(f->cq, error, NULL, NULL, 0) : NULL;
	return text ? text : "";
}

int fagus_ofi_insert(fagus_ofi *f, const void *name, uint64_t *peer)
{
	fi_addr_t at = FI_ADDR_NOTAVAIL;
	int r = fi_av_insert(f->av, name, 1, &at, 0, NULL);
	*peer = at;
	return r == 1 ? 0 : r < 0 ? r : -FI_EINVAL;
}

void *fagus_ofi_receive_buffer(fagus_ofi *f, size_t i) { return f->buffers + i * f->bytes; }
void *fagus_ofi_send_buffer(fagus_ofi *f, size_t i) { return f->buffers + (f->receives + i) * f->bytes; }

int fagus_ofi_inject(fagus_ofi *f, uint64_t peer, const void *p, size_t n) { return (int)fi_inject(f->ep, p, n, peer); }

int fagus_ofi_send(fagus_ofi *f, uint64_t peer, size_t i, size_t n)
{
	return (int)fi_send(f->ep, fagus_ofi_send_buffer(f, i), n, f->descriptor, peer, &f->operations[f->receives + i]);
}

int fagus_ofi_expose(fagus_ofi *f, void *p, size_t n, int writable, void **region, uint64_t *address, uint64_t *key)
{
	uint64_t access = FI_REMOTE_READ | (writable ? FI_REMOTE_WRITE | FI_READ | FI_WRITE : 0);
	return expose(f, p, n, access, (struct fid_mr **)region, address, key);
}

void fagus_ofi_hide(void *region) { shut(region); }

int fagus_ofi_slots(fagus_ofi *f, size_t n)
{
	f->moves = calloc(n, sizeof *f->moves);
	for (f->slots = 0; f->moves && f->slots < n; f->slots++) {
		operation *o = calloc(1, sizeof *o);
		if (!o)
			return -FI_ENOMEM;
		o->id = f->receives + f->sends + f->slots + 1;
		f->moves[f->slots] = o;
	}
	return f->moves ? 0 : -FI_ENOMEM;
}

int fagus_ofi_move(fagus_ofi *f, uint64_t peer, size_t slot, int write, void *p, size_t n, void *region, uint64_t address, uint64_t key)
{
	operation *o = f->moves[slot];
	int r;
	if (f->about.mr_mode & FI_MR_LOCAL && !region) {
		if ((r = expose(f, p, n, write ? FI_WRITE : FI_READ, &o->region, NULL, NULL)))
			return r;
		region = o->region;
	}
	void *descriptor = region ? fi_mr_desc(region) : NULL;
	struct iovec local = {p, n};
	struct fi_rma_iov far = {address, n, key};
	struct fi_msg_rma m = {.msg_iov = &local, .desc = &descriptor, .iov_count = 1, .addr = peer, .rma_iov = &far, .rma_iov_count = 1, .context = o};
	if (write)
		r = (int)fi_writemsg(f->ep, &m, FI_COMPLETION | FI_DELIVERY_COMPLETE);
	else
		r = (int)fi_readmsg(f->ep, &m, FI_COMPLETION);
	if (r)
		fagus_ofi_move_end(f, slot);
	return r;
}

void fagus_ofi_move_end(fagus_ofi *f, size_t slot)
{
	shut(f->moves[slot]->region);
	f->moves[slot]->region = NULL;
}

int fagus_ofi_poll(fagus_ofi *f, fagus_ofi_event *events, int most, const uint32_t *buffers, size_t *count)
{
	size_t posted = 0;
	int r = 0;
	while (posted < *count && !(r = post(f, buffers[posted])))
		posted++;
	*count = posted;
	if (r && r != -FI_EAGAIN)
		return r;
	struct fi_cq_msg_entry entries[16];
	struct fi_cq_err_entry bad = {0};
	if (most > 16)
		most = 16;
	ssize_t n = fi_cq_read(f->cq, entries, (size_t)most);
	if (n == -FI_EAGAIN)
		return 0;
	if (n == -FI_EAVAIL) {
		n = fi_cq_readerr(f->cq, &bad, 0);
		if (n < 0)
			return n == -FI_EAGAIN ? 0 : (int)n;
		operation *o = bad.op_context;
		events[0] = (fagus_ofi_event){o ? o->id : 0, 0, bad.err ? bad.err : FI_EOTHER, bad.prov_errno};
		return 1;
	}
	for (ssize_t i = 0; i < n; i++) {
		operation *o = entries[i].op_context;
		events[i] = (fagus_ofi_event){o ? o->id : 0, entries[i].len, 0, 0};
	}
	return (int)n;
}
