package cluster

import (
	"context"
	"os"
)

// Host is the membership of one rank in a job on this host. It implements shm.Member.
//
// Swap, Gather and Close are collective: all ranks make the same calls in the same order, one at a
// time. When one fails, the job has failed at every rank, and every later call fails.
type Host struct{ member }

// Swap sends the open file own to all ranks and returns the files of all ranks, indexed by rank;
// the entry of this rank is own. Swap returns when all ranks have called it, when ctx is done, or
// when the job fails. The caller owns the returned files; after an error it still owns own.
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
