//go:build !linux

package fagus

// machine returns 0: what other systems have is not known to be the same in all processes.
func machine() uint64 { return 0 }

func monotonic() int64 { return 0 }
