package stream

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// processors is how many the operating system lets this process use.
func processors() int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return runtime.NumCPU()
	}
	return set.Count()
}

// yield gives the processor to another process.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
