package cluster

import (
	"context"
	"os"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// HostConfig configures JoinHost. The zero value is valid.
type HostConfig struct {
	// Timeout is how long JoinHost waits for the other ranks, at most 24 hours. 0 means 10
	// seconds. The shortest timeout of all ranks applies.
	Timeout time.Duration
	// Stall is how long another rank may show no sign of life before the job fails. 0 means 15
	// seconds (local.DefaultStall), a negative value forever. The end of a process is noticed at
	// once. FAGUS_STALL sets it.
	Stall time.Duration
	// Ports is the range of ports on which a tcp or quic network of the job listens. The zero
	// value is any free port. FAGUS_PORTS sets it.
	Ports reach.Ports
	// Net is the name of the transport that Network will be given. Ranks that name different ones
	// do not join; empty is compared with nothing.
	Net string
	// Settings has the options of the network (Options), which their variables set.
	Settings Settings
}

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
