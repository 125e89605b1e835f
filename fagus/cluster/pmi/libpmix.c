//go:build pmix && linux && cgo

#include <pmix.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libpmix.h"

static pmix_proc_t self;
static int lost_connection; // a descriptor

// on_lost runs in the thread of libpmix.
static void on_lost(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
	pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t done, void *data)
{
	char byte = 0;
	ssize_t n = write(lost_connection, &byte, 1);
	(void)n; // a full pipe has told it before
	if (done != NULL)
		done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, data);
}

int fagus_pmix_open(char *job, size_t bytes, uint32_t *rank, uint32_t *size, int lost)
{
	pmix_status_t status = PMIx_Init(&self, NULL, 0);
	if (status != PMIX_SUCCESS)
		return status;
	strncpy(job, self.nspace, bytes - 1);
	*rank = self.rank;

	pmix_proc_t all;
	PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
	pmix_value_t *value = NULL;
	status = PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &value);
	if (status != PMIX_SUCCESS)
		return status;
	if (value->type != PMIX_UINT32) {
		PMIX_VALUE_RELEASE(value);
		return PMIX_ERR_TYPE_MISMATCH;
	}
	*size = value->data.uint32;
	PMIX_VALUE_RELEASE(value);

	lost_connection = lost;
	pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
	status = PMIx_Register_event_handler(&code, 1, NULL, 0, on_lost, NULL, NULL);
	return status < 0 ? status : PMIX_SUCCESS; // otherwise it is the number of the handler
}

int fagus_pmix_put(const char *key, const void *data, size_t bytes)
{
	pmix_value_t value;
	PMIX_VALUE_CONSTRUCT(&value);
	value.type = PMIX_BYTE_OBJECT;
	value.data.bo.bytes = (char *)data;
	value.data.bo.size = bytes;
	pmix_status_t status = PMIx_Put(PMIX_GLOBAL, key, &value); // copies
	return status != PMIX_SUCCESS ? status : PMIx_Commit();
}

int fagus_pmix_fence(void)
{
	pmix_info_t info;
	bool yes = true;
	PMIX_INFO_CONSTRUCT(&info);
	PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
	pmix_status_t status = PMIx_Fence(NULL, 0, &info, 1);
	PMIX_INFO_DESTRUCT(&info);
	return status;
}

int fagus_pmix_get(uint32_t rank, const char *key, int seconds, void **data, size_t *bytes)
{
	pmix_proc_t proc;
	pmix_info_t info;
	PMIX_LOAD_PROCID(&proc, self.nspace, rank);
	PMIX_INFO_CONSTRUCT(&info);
	PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &seconds, PMIX_INT);
	pmix_value_t *value = NULL;
	pmix_status_t status = PMIx_Get(&proc, key, &info, 1, &value);
	PMIX_INFO_DESTRUCT(&info);
	if (status != PMIX_SUCCESS)
		return status;
	if (value->type == PMIX_BYTE_OBJECT) {
		*data = value->data.bo.bytes; // the caller's from now on
		*bytes = value->data.bo.size;
		value->data.bo.bytes = NULL;
		value->data.bo.size = 0;
	} else {
		status = PMIX_ERR_TYPE_MISMATCH;
	}
	PMIX_VALUE_RELEASE(value);
	return status;
}

int fagus_pmix_finalize(void) { return PMIx_Finalize(NULL, 0); }

const char *fagus_pmix_error(int status) { return PMIx_Error_string(status); }
