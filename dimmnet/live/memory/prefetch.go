package memory

import "unsafe"

// line is the size of a cache line in bytes, and mostLines the number of lines that a processor
// fetches at once without a wait: the fill buffers of x86 processors since 2020 number 16 or more.
const (
	line      = 64
	mostLines = 16
)

// Prefetch brings the first 1024 bytes of p, at least 1, to this processor's cache, which will soon
// read them or, if write is set, write them. It does not wait, and has no other effect.
func Prefetch(p []byte, write bool) {
	at := uintptr(unsafe.Pointer(&p[0])) % line
	lines := min(mostLines, (int(at)+len(p)+line-1)/line)
	if write {
		prefetchWrite(&p[0], lines)
	} else {
		prefetchRead(&p[0], lines)
	}
}
