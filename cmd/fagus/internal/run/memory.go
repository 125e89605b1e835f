package run

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/fagus-dsm/fagus/apps/catalog"
)

// checkMemory returns an error if fewer than bytes are available for j on this host. Without the
// check the kernel would end the run's processes when memory is exhausted, or others.
func checkMemory(j *catalog.Job, bytes int) error {
	if free := freeBytes(); bytes > free {
		return fmt.Errorf("run: %s, %s: at least %d MiB of memory are needed, and %d MiB are available on this host: take a smaller input, or more hosts (--hosts)",
			j.App, j.Size, bytes>>20, free>>20)
	}
	return nil
}

// freeBytes returns how much memory processes can still allocate, and math.MaxInt if that is
// unknown: what the machine has available, and no more than the limit of the container.
func freeBytes() int {
	free := math.MaxInt
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		_, after, _ := strings.Cut(string(text), "MemAvailable:")
		if kib := 0; scanned(after, &kib) {
			free = kib << 10
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil { // "max": no limit
		if limit := 0; scanned(string(text), &limit) {
			free = min(free, limit)
		}
	}
	return free
}

func scanned(text string, number *int) bool {
	n, _ := fmt.Sscan(text, number)
	return n == 1
}
