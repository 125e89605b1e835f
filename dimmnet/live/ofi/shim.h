// A narrow interface to libfabric for package ofi. Most of libfabric's own interface is inline
// functions over tables of pointers, which Go cannot call without C.
//
// No function waits. The caller serialises all calls for one endpoint. Functions return 0 or a
// negative number of libfabric (-FI_EAGAIN: try again after fagus_ofi_poll).

#ifndef FAGUS_OFI_SHIM_H
#define FAGUS_OFI_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef struct fagus_ofi fagus_ofi;

// What fi_getinfo says about an endpoint type that this package can use.
typedef struct {
	char provider[64];
	char fabric[128];
	char domain[128];
	char pci[16]; // address of the NIC as in /sys/bus/pci/devices; empty if it has none
	uint64_t mr_mode, message_order;
	uint64_t inject;       // bytes
	int32_t data_progress; // 1 automatic, 2 manual
	char format[32];                   // of addresses
} fagus_ofi_info;

// An entry of the completion queue.
typedef struct {
	uint64_t id;     // of the operation; 0 if the provider does not say which failed
	uint64_t length; // bytes received
	int32_t error;   // 0, or a positive error number of libfabric
	int32_t provider_error;
} fagus_ofi_event;

// What this package asks of a provider, for fagus_ofi_list.
enum {
	FAGUS_OFI_TYPE = 1,        // FI_EP_RDM
	FAGUS_OFI_MESSAGES = 2,    // FI_MSG
	FAGUS_OFI_READS = 4,       // FI_RMA
	FAGUS_OFI_ORDER = 8,       // FI_ORDER_SAS
	FAGUS_OFI_MODES = 16,      // no mode or mr_mode but those that this package supports
	FAGUS_OFI_THREADS = 32,    // FI_THREAD_DOMAIN
	FAGUS_OFI_PROGRESS = 64,   // FI_PROGRESS_MANUAL
	FAGUS_OFI_RESOURCES = 128, // FI_RM_ENABLED
	FAGUS_OFI_ALL = 255
};

// The endpoints that providers offer: at most `most`, best first; returns how many, or an error.
// Empty strings ask for any. node is the local host or address. asks is FAGUS_OFI_ALL, or less to
// find out what a provider lacks.
int fagus_ofi_list(const char *provider, const char *node, int asks, fagus_ofi_info *all, int most);

// The version of the libfabric that the process has loaded: major<<16 | minor.
uint32_t fagus_ofi_version(void);

// Opens an endpoint of the given domain, with receive and send buffers of `bytes` each. `what`
// says which step failed.
int fagus_ofi_open(const char *provider, const char *node, const char *domain, size_t receives, size_t sends,
	size_t bytes, fagus_ofi **out, const char **what);
void fagus_ofi_close(fagus_ofi *f);

const fagus_ofi_info *fagus_ofi_about(const fagus_ofi *f);
int fagus_ofi_name(fagus_ofi *f, void *name, size_t *bytes);
int fagus_ofi_insert(fagus_ofi *f, const void *name, uint64_t *peer);

void *fagus_ofi_receive_buffer(fagus_ofi *f, size_t i);
void *fagus_ofi_send_buffer(fagus_ofi *f, size_t i);

// Sends bytes that the call copies, at most about.inject of them. There is no completion.
int fagus_ofi_inject(fagus_ofi *f, uint64_t peer, const void *p, size_t n);
// Sends n bytes of send buffer i. Its completion has the id receives+i+1.
int fagus_ofi_send(fagus_ofi *f, uint64_t peer, size_t i, size_t n);

// Registers memory that peers read and, if `writable`, write. Peers need *address and *key.
int fagus_ofi_expose(fagus_ofi *f, void *p, size_t n, int writable, void **region, uint64_t *address, uint64_t *key);
void fagus_ofi_hide(void *region);

// Reads or writes remote memory. slot numbers the moves of one endpoint: one at a time for each, and
// below fagus_ofi_slots. Its completion has the id receives+sends+slot+1; the completion of a write
// comes when the bytes are in the memory of the peer. region is the region of p, or NULL: then the
// call registers p if the provider wants it, until fagus_ofi_move_end.
int fagus_ofi_move(fagus_ofi *f, uint64_t peer, size_t slot, int write, void *p, size_t n, void *region, uint64_t address, uint64_t key);
void fagus_ofi_move_end(fagus_ofi *f, size_t slot);
int fagus_ofi_slots(fagus_ofi *f, size_t n);

// Posts the given receive buffers again; the completion of buffer i has the id i+1. *count becomes
// the number of buffers that the provider accepts. Then it reads at most `most` entries of the
// completion queue; returns how many, or an error.
int fagus_ofi_poll(fagus_ofi *f, fagus_ofi_event *events, int most, const uint32_t *buffers, size_t *count);

const char *fagus_ofi_error(int error);
const char *fagus_ofi_provider_error(fagus_ofi *f, int error);

#endif
