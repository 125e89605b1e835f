//go:build ofi && linux && cgo

package ofi

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// removeStale removes the files that an earlier process with the number of this one has left in
// /dev/shm: provider shm names files by process, and one that is killed leaves its files. A file
// that this process has mapped is not stale. Those of other processes that have ended stay, because
// processes of another container may have the same numbers. The provider, too, removes such a file
// sometimes, when it has refused it.
func removeStale() {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	names, _ := filepath.Glob(fmt.Sprintf("/dev/shm/%d:*", os.Getpid())) // the pattern is right
	for _, name := range names {
		if !bytes.Contains(maps, []byte(name+"\n")) {
			_ = os.Remove(name) // opening again reports what is still wrong
		}
	}
}
