//go:build !linux && !darwin

package fagus

// Only Linux and macOS are asked what they have counted of a process.
func readUsage() Usage         { return Usage{} }
func waitedTime() (Time, bool) { return 0, false }
func peakMemory() uint64       { return 0 }
func processors() int          { return 0 }
