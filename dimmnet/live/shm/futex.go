//go:build linux

package shm

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

// These constants are from linux/futex.h.
const (
	futexWait    = 0
	futexWake    = 1
	futexPrivate = 128
)

// sleepWhile sleeps while *word is value, for at most atMost. It may return earlier. shared means
// that threads of other processes wake the sleeper.
func sleepWhile(word *uint32, value uint32, shared bool, atMost time.Duration) {
	if delay.Sleep(word, value) {
		return
	}
	timeout := unix.NsecToTimespec(atMost.Nanoseconds())
	// The result does not matter: the caller checks its condition again.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), operation(futexWait, shared), uintptr(value), uintptr(unsafe.Pointer(&timeout)), 0, 0)
}

func wakeAll(word *uint32, shared bool) {
	if delay.Wake(word, math.MaxInt32) {
		return
	}
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), operation(futexWake, shared), math.MaxInt32, 0, 0, 0)
}

func operation(op uintptr, shared bool) uintptr {
	if shared {
		return op
	}
	return op | futexPrivate
}

// yield gives the processor to another thread of the host.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// processor returns the number of the calling thread's processor, plus 1, or 0 if it is unknown.
func processor() uint32 {
	var n uint32
	if _, _, e := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&n)), 0, 0); e != 0 {
		return 0
	}
	return n + 1
}

type futexFlag struct {
	value   atomic.Uint32 // 0 or 1
	waiters atomic.Uint32
}

func (f *futexFlag) set(shared bool) {
	f.value.Store(1)
	delay.Here()
	if f.waiters.Load() != 0 {
		wakeAll((*uint32)(unsafe.Pointer(&f.value)), shared)
	}
}

func (f *futexFlag) take() bool { return f.value.Load() == 1 && f.value.CompareAndSwap(1, 0) }

// wait sleeps until the flag is set, for at most atMost. It may return earlier.
func (f *futexFlag) wait(shared bool, atMost time.Duration) {
	f.waiters.Add(1)
	sleepWhile((*uint32)(unsafe.Pointer(&f.value)), 0, shared, atMost)
	f.waiters.Add(^uint32(0))
}
