// The providers of libfabric that a library opens. It is compiled into the peers where libfabric
// has its headers here: all libraries of the process, also the plugins of Open MPI, then call the
// fi_fabric of the executable instead of libfabric.so.1.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fabric.h>

#include "peer.h"

static char all[256];

const char *opened_providers(void) { return all; }

// original returns a function of libfabric, which some library of this process has loaded.
static void *original(const char *name)
{
	void *library = dlopen("libfabric.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		library = dlopen("libfabric.so.1", RTLD_LAZY);
	void *f = library ? dlsym(library, name) : NULL;
	if (!f) {
		fprintf(stderr, "peer: %s of libfabric.so.1: %s\n", name, dlerror());
		exit(1);
	}
	return f;
}

int fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
	static int (*open_fabric)(struct fi_fabric_attr *, struct fid_fabric **, void *);
	if (!open_fabric)
		open_fabric = original("fi_fabric");
	int ret = open_fabric(attr, fabric, context);
	const char *name = attr && attr->prov_name ? attr->prov_name : "?";
	if (ret == 0 && strlen(all) + strlen(name) + 2 < sizeof all) {
		strcat(all, " ");
		strcat(all, name);
	}
	return ret;
}

// With PEER_LOCAL=1 requests for FI_LOCAL_COMM and FI_REMOTE_COMM are dropped. The message layer of
// Open MPI makes both, so that it never uses the provider shm: in libfabric 1.17 shm offers neither.
int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags, const struct fi_info *hints, struct fi_info **info)
{
	static int (*get)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *, struct fi_info **);
	if (!get)
		get = original("fi_getinfo");
	if (!hints || !getenv("PEER_LOCAL"))
		return get(version, node, service, flags, hints, info);
	struct fi_info less = *hints;
	less.caps &= ~(FI_LOCAL_COMM | FI_REMOTE_COMM);
	return get(version, node, service, flags, &less, info);
}
