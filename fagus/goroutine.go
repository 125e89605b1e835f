//go:build amd64 || arm64

package fagus

// goroutine returns a number that is different for all goroutines that exist at one time: the
// address of the runtime's record of the calling one.
func goroutine() uintptr
