package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// waited returns how long the threads of this process were ready and had no processor, as far as
// the kernel tells.
func waited() (all time.Duration) {
	threads, _ := filepath.Glob("/proc/self/task/*/schedstat") // the pattern is right
	for _, path := range threads {
		text, err := os.ReadFile(path)
		var ran, waiting int64 // ns
		if err != nil {
			continue // the thread has ended
		}
		if _, err := fmt.Sscan(string(text), &ran, &waiting); err == nil {
			all += time.Duration(waiting)
		}
	}
	return all
}
