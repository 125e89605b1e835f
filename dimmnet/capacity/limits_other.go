//go:build !linux

package capacity

func limits() []limit { return nil }

// Processes returns nil: the limits of this system are unknown.
func Processes(int) error { return nil }
