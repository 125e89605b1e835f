//go:build linux || darwin

package fagus

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// readUsage returns what getrusage has counted of this process, without the memory.
func readUsage() Usage {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return Usage{}
	}
	return Usage{
		ProcessorTime: ProcessorTime{Got: Time(r.Utime.Nano()+r.Stime.Nano()) * Nanosecond},
		Voluntary:     uint64(r.Nvcsw), Involuntary: uint64(r.Nivcsw),
		Faults: uint64(r.Minflt), DiskFaults: uint64(r.Majflt),
	}
}

// processors returns the number of processors that Go code of this process may use at a time.
func processors() int { return min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }
