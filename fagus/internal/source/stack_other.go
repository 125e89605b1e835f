//go:build !amd64 && !arm64

package source

import "runtime"

// frames sets pcs to the return addresses of the calling functions, innermost first.
func frames(pcs *[Depth]uintptr) { runtime.Callers(3, pcs[:]) }
