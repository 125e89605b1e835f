package run

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// checkMemory returns an error if fewer than bytes are available for j on this host. Without the
// check the kernel would end the run's processes when memory is exhausted, or others.
func checkMemory(j *catalog.Job, bytes int) error {
	if free, known := sim.Available(); known && int64(bytes) > free {
		return fmt.Errorf("run: %s, %s: at least %d MiB of memory are needed, and %d MiB are available on this host: take a smaller input, or more hosts (--hosts)",
			j.App, j.Size, bytes>>20, free>>20)
	}
	return nil
}
