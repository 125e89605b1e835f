package dimmnet

import (
	"context"
	"errors"
	"fmt"
)

// Joiner is a Network that can be joined to a job. Then this process is one rank of the job: Run
// runs only the body of that rank, and other processes run the other ranks.
type Joiner interface {
	Network
	// Job returns this process's rank and the job's size; 0, 0 if all ranks run in this process.
	Job() (rank Rank, size int)
	// Gather sends own to all ranks and returns the bytes of all ranks, indexed by rank and
	// including own. It is called outside of Run, by all ranks in the same order.
	Gather(ctx context.Context, own []byte) ([][]byte, error)
}

// GatherPieces sends own in pieces of a size, the same on all ranks, and calls each for the pieces
// of all ranks. Those of a rank come in order.
func GatherPieces(ctx context.Context, j Joiner, own []byte, size int, each func(r int, piece []byte)) error {
	_, nodes := j.Job()
	for more := true; more; {
		piece := own[:min(len(own), size)]
		own = own[len(piece):]
		pieces, err := j.Gather(ctx, piece)
		if err != nil {
			return err
		}
		if len(pieces) != nodes {
			return fmt.Errorf("%d ranks have answered, want %d", len(pieces), nodes)
		}
		more = false
		for r, piece := range pieces {
			each(r, piece)
			more = more || len(piece) == size // there may be another piece
		}
	}
	return nil
}

// Member is a process's membership in a job. A Network gets it to join the job.
type Member interface {
	Rank() Rank
	Size() int
	// Gather sends own to all ranks and returns the bytes of all ranks, indexed by rank and
	// including own. It is a barrier of all ranks. Only processes of the job see the bytes.
	Gather(ctx context.Context, own []byte) ([][]byte, error)
	// OnLoss sets the function that is called when the process of a rank ends before its Run does.
	OnLoss(lost func(rank Rank, why error))
}

// Describer is a Member, or a Network that has joined one, whose processes describe to each other
// what they do: for roll-calls and errors.
type Describer interface {
	// Describe sets the function that returns this rank's note, at most MaxNote bytes, for Ask.
	// Any goroutine may call it. If own is nil, the last note that Ask sent remains.
	Describe(own func() []byte)
	// Ask sends own, this rank's note, to the ranks in of. It returns by rank the notes of all
	// ranks that have sent one. It waits for new notes from the ranks in of until ctx is done. If
	// ctx is done already, Ask sends own and returns: the process may end then. Other processes
	// may call it at any time, even during Run.
	Ask(ctx context.Context, own []byte, of []Rank) [][]byte
}

// MaxNote is the greatest size of a note of a Describer, in bytes.
const MaxNote = 60 << 10

// Failed is the failure of a run because of another rank.
type Failed struct {
	Network string // name of the network
	Rank    Rank   // the rank that failed first
	Why     string // the reason that Rank gave
	Lost    error  // why Rank is considered gone; nil if it gave a reason
}

// Gone marks err, the failure of a rank, as the loss of that rank: its host is cut off, or it was
// stopped for so long that the others do not wait for it. The text of err remains.
func Gone(err error) error { return gone{err} }

// IsGone reports whether err is the loss of a rank: its process, its host or the network has
// failed, not its program. A rank may learn from the others that it is the lost one.
func IsGone(err error) bool {
	var mark gone
	var f *Failed
	return errors.As(err, &mark) || errors.As(err, &f) && f.Lost != nil
}

type gone struct{ error }

func (g gone) Unwrap() error { return g.error }

// UnequalShares is the error of Sharer.Share and Viewer.View if two ranks want different amounts
// of memory in the same call.
type UnequalShares struct {
	Own, Other Rank
	Bytes      [2]int // that the two want, for each rank or for all
}

// Error says what both ranks want.
func (u *UnequalShares) Error() string {
	return fmt.Sprintf("rank %d shares %d bytes, rank %d %d: all ranks must make the same calls of Share and View in the same order", u.Own, u.Bytes[0], u.Other, u.Bytes[1])
}

// Error returns the network, the rank and the reason.
func (f *Failed) Error() string {
	if f.Lost != nil {
		return fmt.Sprintf("%s: rank %d is gone: %v", f.Network, f.Rank, f.Lost)
	}
	return fmt.Sprintf("%s: rank %d failed: %s", f.Network, f.Rank, f.Why)
}

// Unwrap returns f.Lost.
func (f *Failed) Unwrap() error { return f.Lost }

// JobOf implements Joiner.Job. m is the network's member of the job; nil means that all ranks run
// in this process. Networks call it.
func JobOf(m Member) (rank Rank, size int) {
	if m == nil {
		return 0, 0
	}
	return m.Rank(), m.Size()
}
