//go:build linux

package shm

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A rank that posts must not miss that the receiver may sleep, and a rank that goes to sleep must
// not miss the post. Each of the two writes one word and then reads the other's, with a memory
// barrier in between. Where each rank has a processor, ranks post often and sleep seldom. So the
// rank that goes to sleep pays for both barriers: the system call membarrier executes one on every
// processor that runs a rank, and takes about a microsecond. Then the stores of the posting rank
// need no barrier, and do not wait until the cache line has come from the other processor.
//
// Where ranks outnumber processors they often sleep, and every rank executes its own barriers.

// Commands of membarrier, from linux/membarrier.h.
const (
	globalExpedited         = 1 << 1
	registerGlobalExpedited = 1 << 2
)

// registerBarriers makes this process one in which barriers are executed, and reports whether the
// kernel (Linux 4.16) can do it.
func registerBarriers() bool {
	_, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, registerGlobalExpedited, 0, 0)
	return errno == 0
}

// barrierEverywhere executes a barrier on all processors that run threads of registered processes.
func barrierEverywhere() error {
	_, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, globalExpedited, 0, 0)
	if errno != 0 {
		return fmt.Errorf("shm: membarrier: %w", errno)
	}
	return nil
}
