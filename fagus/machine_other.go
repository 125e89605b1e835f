//go:build !linux

package fagus

// systemClock returns zeros: what other systems have is not known to be the same in all processes.
func systemClock() (machine uint64, now int64) { return 0, 0 }
