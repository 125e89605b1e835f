//go:build !linux

package local

// CalmMonitor does nothing, and returns false.
func CalmMonitor() bool { return false }

// Foreground does nothing.
func Foreground(bool) {}

// ForegroundAll does nothing.
func ForegroundAll() {}
