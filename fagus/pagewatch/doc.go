// Package pagewatch asks the kernel which pages of memory this process has written.
//
//	w := pagewatch.New()
//	err := w.Forget(mem)             // what was written so far does not count
//	mem[5000] = 1                    // costs one fault, which the kernel handles by itself
//	err = w.Written(mem, func(lo, hi int) { ... })   // 4096, 8192
//	err = w.Close()
//
// It needs Linux 6.7 or newer: userfaultfd with asynchronous write protection
// (UFFD_FEATURE_WP_ASYNC, for which no privilege is needed with UFFD_USER_MODE_ONLY), and the
// PAGEMAP_SCAN request of /proc/self/pagemap. Elsewhere every call returns an error.
// A kernel may accept a request and do nothing, so the first call protects a page, writes
// to it, and sees what is said of it.
//
// # What it sees
//
// Whoever writes through the mapping that mem is in: the program, and the kernel on its
// behalf (read, recv). It does not see who writes through another mapping of the
// same memory, so memory that is shared with other processes, or mapped twice, cannot be
// watched. What it says is complete, but may be more than was written: a page that was
// read for the first time counts.
//
// Memory is whole pages of a private anonymous mapping, which no other part of the process
// has its own bytes on; never the Go heap. A page that is written costs a fault (1 µs,
// docs/writes.md), one that is not costs a nanosecond of Written.
package pagewatch
