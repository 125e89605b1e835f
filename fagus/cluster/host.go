package cluster

import (
	"context"
	"os"
	"time"
)

// HostConfig says how JoinHost joins. The zero value is useful.
type HostConfig struct {
	// Timeout is how long JoinHost waits for the other ranks, a day at most. 0 means
	// 10 seconds. The shortest of all ranks counts.
	Timeout time.Duration
}

// Host is a rank's membership in a job all of whose ranks are processes of this host. It
// is a shm.Member.
//
// Swap, Gather and Close are collective: all ranks call the same ones in the same order,
// and a Host makes one call at a time. A Host that has failed stays failed, and so do
// those of all other ranks.
type Host struct{ member }

// Swap gives this rank's file to all ranks and returns those of all, in the order of the
// ranks; the own one is own itself. It returns when all ranks have called it: within
// ctx, or when the job has failed. The files are the caller's, and own is so after an error
// too.
func (h *Host) Swap(ctx context.Context, own *os.File) ([]*os.File, error) {
	shares, err := h.exchange(ctx, kindFiles, share{file: own})
	if err != nil {
		return nil, err
	}
	files := make([]*os.File, len(shares))
	for rank, s := range shares {
		files[rank] = s.file
	}
	return files, nil
}
