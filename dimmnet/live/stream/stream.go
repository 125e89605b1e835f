package stream

import (
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

// Stream is an ordered stream of bytes between this rank and a peer. No method waits. One thread
// at a time calls Read and Buffered, and one at a time Write and Flush; the other methods may be
// called at any time until Close.
type Stream interface {
	// Read reads bytes that have arrived into p, and returns their number: 0 if none have. An
	// error means that the stream has ended: io.EOF if the peer has ended it.
	Read(p []byte) (int, error)
	// Buffered reports whether the stream contains bytes that the Poll does not report. A few
	// Reads must return all of them, because the reading thread serves no other stream meanwhile.
	Buffered() bool
	// Write accepts as many bytes of p as there is space for, and returns their number. It does
	// not retain p. more means that the caller writes more bytes immediately.
	Write(p []byte, more bool) (int, error)
	// Flush reports whether all bytes that Write has accepted are on their way.
	Flush() (clear bool, err error)
	// NotifyWritable sets whether the Poll also reports that there is space. It ends the Wait of a
	// thread if there is space already.
	NotifyWritable(on bool)
	// HungUp reports whether the stream has ended or is broken. Earlier bytes may be unread.
	HungUp() bool
	// CloseWrite tells the peer that no more bytes come.
	CloseWrite()
	// Ignore makes the Poll report nothing more about a stream that has ended.
	Ignore()
	// Close closes the stream and frees its resources. If the peer is gone, Close does not wait
	// until it has received all bytes.
	Close(gone bool)
}

// Vectored is a Stream that reads and writes two slices at once.
type Vectored interface {
	// ReadBoth is Read, into p and then into q.
	ReadBoth(p, q []byte) (int, error)
	// WriteBoth is Write, from p, which may be empty, and then from q, a large piece. Until q is
	// accepted, the caller leaves its bytes unchanged, and passes them again.
	WriteBoth(p, q []byte, more bool) (int, error)
}

// Reader is a Stream that may still write to the memory of a Read after that Read returns 0.
type Reader interface {
	// EndRead returns when the memory of earlier Reads is no longer written.
	EndRead()
}

// Counted is a Stream that counts what it carries.
type Counted interface {
	// Count returns the counts up to now. Any goroutine may call it, also after Close.
	Count() dimmnet.Link
}

// writeBoth writes p and then q, in one call of s if possible.
func writeBoth(s Stream, p, q []byte, more bool) (n int, err error) {
	if v, ok := s.(Vectored); ok {
		return v.WriteBoth(p, q, more)
	}
	if len(p) > 0 {
		if n, err = s.Write(p, true); n < len(p) || err != nil {
			return n, err
		}
	}
	k, err := s.Write(q, more)
	return n + k, err
}

// readBoth reads into p and then into q, in one call of s if possible. Otherwise it reads into the
// first of them that is not empty. full: the stream may contain more bytes.
func readBoth(s Stream, p, q []byte) (n int, full bool, err error) {
	wanted := len(q)
	if v, ok := s.(Vectored); ok && len(p) > 0 {
		n, err = v.ReadBoth(p, q)
		wanted += len(p)
	} else if len(p) > 0 {
		n, err = s.Read(p)
		wanted = len(p)
	} else {
		n, err = s.Read(q)
	}
	return n, n == wanted, err
}

// Poll is where a thread sleeps until a stream of its node is ready.
type Poll interface {
	// Wait returns the ranks whose streams can be read, or written if NotifyWritable asks for it.
	// If no stream is ready, Wait waits until one is, until atMost has passed, or until Wake. The
	// result reuses ready, which has a capacity of at least 1. The next Wait returns the ranks
	// that exceed the capacity: each ready stream has its turn. Only one thread at a time may call
	// Wait, but a Wait for 0 may be called at any time. It leaves a wake-up to the thread that
	// waits.
	Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank
	// Wake ends the Wait of a thread, or the next Wait for more than 0.
	Wake()
	// Close frees the resources. No thread may wait any more.
	Close()
}

// Beats are the signs of life that processes send each other. They do not use the streams, because
// a peer that computes does not read them. One goroutine calls Send, Receive and Heard.
type Beats interface {
	// Send sends a beat to all peers.
	Send()
	// Receive processes all beats that have arrived. It waits for a millisecond at most.
	Receive()
	// Heard returns a number that changes when a beat of rank arrives: 0 before the first beat.
	Heard(rank dimmnet.Rank) uint64
	// Close frees the resources.
	Close()
}

// Links are the connections of a rank to its peers.
type Links struct {
	Streams []Stream // by rank; nil for the own rank, and where there is no connection yet
	Near    []bool   // by rank: the peer is on this host
	Poll    Poll     // waits for these streams
	Beats   Beats    // nil: silent peers go unnoticed
	// NIC is the NIC memory of the rank, which is zero. nil: Run allocates it.
	NIC *memory.NIC
	// Remotes are the ways to the memories of peers, by rank. nil: there are none.
	Remotes []Remote
	// Demand connects to the peers whose Streams are nil. nil: all peers are connected.
	Demand OnDemand

	// Processors is the number of processors of this host's ranks. 0 means: of this process.
	Processors int
}

// Close closes the parts that exist. Run closes the Links that Join returned.
func (l *Links) Close() {
	for _, s := range l.Streams {
		if s != nil {
			s.Close(false)
		}
	}
	if l.Demand != nil {
		l.Demand.Close()
	}
	if l.Poll != nil {
		l.Poll.Close()
	}
	if l.Beats != nil {
		l.Beats.Close()
	}
}
