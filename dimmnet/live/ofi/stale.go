//go:build ofi && linux && cgo

package ofi

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// removeStale removes files in /dev/shm that an earlier process with this process's number has
// left: provider shm names files by process, and a killed process leaves its files. A file that
// this process has mapped is not stale. Files of other processes stay, even if these have ended,
// because processes of another container may have the same numbers. The provider itself sometimes
// removes such a file, too, after it has refused it.
func removeStale() {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	names, _ := filepath.Glob(fmt.Sprintf("/dev/shm/%d:*", os.Getpid())) // the pattern is valid
	for _, name := range names {
		if !bytes.Contains(maps, []byte(name+"\n")) {
			_ = os.Remove(name) // if this fails, opening again reports the error
		}
	}
}
