//go:build !linux

package capacity

func limits() []limit { return nil }

// Processes returns nil: the limits of this system are not known.
func Processes(int) error { return nil }
