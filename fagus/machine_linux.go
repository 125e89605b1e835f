package fagus

import (
	"hash/fnv"
	"os"

	"golang.org/x/sys/unix"
)

// systemClock returns a number that identifies this machine since it was started, and the time of
// its monotonic clock in ns, which all processes share; 0 if unknown.
func systemClock() (machine uint64, now int64) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return 0, 0
	}
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0, 0
	}
	h := fnv.New64a()
	h.Write(boot)
	return h.Sum64(), t.Nano()
}
