package dimmnet

import "context"

// Joiner is a Network that may be joined: then this process is one rank of a job, Run
// runs the body of that rank alone, and the other ranks are elsewhere.
type Joiner interface {
	Network
	// Job says which rank of how many this process is. size is 0 if all are here.
	Job() (rank Rank, size int)
	// Gather passes what every rank gives to all, by rank, outside of a Run. All ranks
	// call it in the same order.
	Gather(ctx context.Context, own []byte) ([][]byte, error)
}

// Member is a process's place among those of a job, as a Network is given it to join.
type Member interface {
	Rank() Rank
	Size() int
	// Gather gives this rank's bytes to all and returns those of all ranks, in order, the
	// own ones included. It is a barrier of all ranks. What it carries is a secret of the
	// job.
	Gather(ctx context.Context, own []byte) ([][]byte, error)
	// OnLoss says who is called when the process of a rank has ended before its Run.
	OnLoss(lost func(rank Rank, why error))
}

// JobOf is Joiner's Job for a network with this member; nil: all ranks are here. It is
// for networks.
func JobOf(m Member) (rank Rank, size int) {
	if m == nil {
		return 0, 0
	}
	return m.Rank(), m.Size()
}
