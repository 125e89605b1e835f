// Package pagewatch finds, with the help of the kernel, which pages of memory this process
// has written.
//
//	w := pagewatch.New()
//	err := w.Forget(mem)             // earlier writes do not count
//	mem[5000] = 1                    // costs one fault, which the kernel handles by itself
//	err = w.Written(mem, func(lo, hi int) { ... })   // 4096, 8192
//	err = w.Close()
//
// It needs Linux 6.7 or newer: userfaultfd with asynchronous write protection
// (UFFD_FEATURE_WP_ASYNC, for which no privilege is needed with UFFD_USER_MODE_ONLY), and the
// PAGEMAP_SCAN request of /proc/self/pagemap. Elsewhere every call returns an error.
// Some kernels accept the requests but do nothing. The first call therefore protects a
// page, writes to it, and checks that the write is reported.
//
// # What is detected
//
// A Watch detects writes through the mapping that contains mem: by the program, and by the kernel
// on its behalf (read, recv). It does not detect writes through another mapping of the same
// memory, so memory that is mapped twice or shared with other processes cannot be watched.
// Written reports every page that was written. It may report further pages: a page that was read
// for the first time counts as written.
//
// The memory must consist of whole pages of a private anonymous mapping that are used for
// nothing else; it must not be in the Go heap. The first write to a page costs a fault
// (1 µs, docs/internals/writes.md). A page that is not written costs about a nanosecond in Written.
package pagewatch
