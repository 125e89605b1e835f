package fagus

import "golang.org/x/sys/unix"

// waitedTime returns nothing: only Linux says for how long threads have waited for a processor.
func waitedTime() (Time, bool) { return 0, false }

// peakMemory returns the most bytes that this process has had in memory; 0 if unknown.
func peakMemory() uint64 {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return uint64(r.Maxrss) // bytes; on Linux it would be KiB
}
