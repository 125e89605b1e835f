package fagus

import (
	"hash/fnv"
	"os"

	"golang.org/x/sys/unix"
)

// machine returns a number that identifies this machine since it was started; 0 if unknown.
func machine() uint64 {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return 0
	}
	h := fnv.New64a()
	h.Write(boot)
	return h.Sum64()
}

// monotonic returns the time of the machine's clock in ns, which all processes share.
func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has it
	return t.Nano()
}
