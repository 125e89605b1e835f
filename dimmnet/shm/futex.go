//go:build linux

package shm

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Of linux/futex.h.
const (
	futexWait    = 0
	futexWake    = 1
	futexPrivate = 128
)

// sleepWhile sleeps while *word is value, at most for so long. It may return earlier.
func sleepWhile(word *uint32, value uint32, shared bool, atMost time.Duration) {
	timeout := unix.NsecToTimespec(atMost.Nanoseconds())
	// Whatever it returns, the caller looks again.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), operation(futexWait, shared), uintptr(value), uintptr(unsafe.Pointer(&timeout)), 0, 0)
}

// wakeAll wakes all that sleep on a word.
func wakeAll(word *uint32, shared bool) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), operation(futexWake, shared), math.MaxInt32, 0, 0, 0)
}

func operation(op uintptr, shared bool) uintptr {
	if shared {
		return op
	}
	return op | futexPrivate
}

// yield lets another thread of the host have this processor.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// bell is a flag that a thread can sleep on.
type bell struct {
	set     atomic.Uint32 // 0 or 1
	waiters atomic.Uint32
}

// ring sets the flag, and wakes who waits for it.
func (b *bell) ring(shared bool) {
	b.set.Store(1)
	if b.waiters.Load() > 0 {
		wakeAll((*uint32)(unsafe.Pointer(&b.set)), shared)
	}
}

// take says whether the flag was set, and takes it back.
func (b *bell) take() bool { return b.set.Load() == 1 && b.set.CompareAndSwap(1, 0) }

// wait sleeps until the flag is set, at most for so long. It may return earlier.
func (b *bell) wait(shared bool, atMost time.Duration) {
	b.waiters.Add(1)
	sleepWhile((*uint32)(unsafe.Pointer(&b.set)), 0, shared, atMost)
	b.waiters.Add(^uint32(0))
}
