package stream

import (
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Stream is the bytes between this rank and a peer, in order, and how a Poll hears of
// them. No method waits. One thread at a time calls Read and Held, and one at a time
// Write and Flush; the others are called at any time until Close.
type Stream interface {
	// Read puts what has come into p, and says how much: 0 if nothing has. An error is
	// the end, io.EOF if the peer has ended it.
	Read(p []byte) (int, error)
	// Held says whether Read has more of which no Poll tells any more. A few Reads must
	// take all of it, or who reads it reads nothing else.
	Held() bool
	// Write takes the first bytes of p, as many as there is room for, and says how many.
	// p may be kept no longer. more says that others follow at once.
	Write(p []byte, more bool) (int, error)
	// Flush says whether all that Write has taken is on its way; what is not needs room.
	Flush() (clear bool, err error)
	// Block says whether the Poll shall tell when there is room, too.
	Block(on bool)
	// HungUp says whether the peer has ended it, or it is broken. What came before may
	// still be to be read.
	HungUp() bool
	// End tells the peer that nothing more comes.
	End()
	// Forget keeps a stream that is over from waking anybody.
	Forget()
	// Close ends it, and frees what it has.
	Close()
}

// Poll is where a thread sleeps until something comes on a stream of its node.
type Poll interface {
	// Wait returns the ranks of whose streams something is to be read, or to which there
	// is room, if that was asked for: at once if there are some, and else after atMost or
	// when Wake is called. They are in ready, which has room for one or more; what it has
	// no room for the next Wait tells.
	Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank
	// Wake ends the Wait of a thread, or the next one.
	Wake()
	// Close frees what it has. Nobody waits by then.
	Close()
}

// Beats are the signs of life of a rank's process and of others, which do not go through
// streams: a peer that computes reads none. One goroutine calls Send, Listen and Heard.
type Beats interface {
	// Send sends one to all others.
	Send()
	// Listen takes all that have come, and does not wait.
	Listen()
	// Heard is a number that is another when a beat of a rank has come, 0 before the first.
	Heard(rank dimmnet.Rank) uint64
	// Close frees what they have.
	Close()
}

// Links are how a rank is connected to the others.
type Links struct {
	Streams []Stream // by rank; nil for the own
	Near    []bool   // by rank: it is on this host
	Poll    Poll     // of these streams
	Beats   Beats    // nil: nobody looks whether others are alive

	Processors int // of all ranks on this host; 0: as many as this process may use
}

// Close frees what they have, as far as it is there. What Run was given it closes.
func (l *Links) Close() {
	for _, s := range l.Streams {
		if s != nil {
			s.Close()
		}
	}
	if l.Poll != nil {
		l.Poll.Close()
	}
	if l.Beats != nil {
		l.Beats.Close()
	}
}
