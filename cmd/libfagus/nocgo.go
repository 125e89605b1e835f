//go:build !cgo

package main

import (
	"fmt"
	"os"
)

// main replaces the library where cgo is off, so that `go build ./...` passes without a C compiler.
func main() {
	fmt.Fprintln(os.Stderr, "libfagus: built without cgo: install a C compiler, set CGO_ENABLED=1 and run make -C cmd/libfagus")
	os.Exit(2)
}
