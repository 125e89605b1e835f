package sendrecv

import (
	"errors"
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// MaxBytes is the length of the longest message.
const MaxBytes = math.MaxInt32

// Errors that both ends of a message get. Nothing has moved then, and both
// Endpoints go on working.
var (
	// ErrTooLong means that the message is longer than the receiver's p.
	ErrTooLong = errors.New("the message is longer than the receive buffer")
	// ErrClash means that two ranks both send to, or both receive from, each other.
	// They would wait for ever.
	ErrClash = errors.New("both ranks are in the same call")
)

// Config says how an Endpoint uses the NIC's memory. The zero value is useful.
// All ranks of a run must have the same.
type Config struct {
	// LLCM and Bulk are where the areas start, counted in bytes from the start of
	// the LLCM and from that of the bulk memory; multiples of 8.
	LLCM, Bulk dimmnet.Offset
	// BOTF is the length in bytes up to which messages go by BOTF if the receiver
	// was first; longer ones go by PUSH. 0 means one block (Limits.Block), less
	// than 0 none. More than a block goes as several.
	BOTF int
	// Group is the process group id (PGID) of the run. A peer with another one is
	// an error.
	Group uint8
}

// Stats counts the messages of one Endpoint, those sent and those received.
// Sent+Received = BOTF+Push+Pull. A message of no bytes, which is a notice alone,
// counts as BOTF if the receiver was first, else as Pull.
type Stats struct {
	Sent, Received   uint64
	BOTF, Push, Pull uint64 // what moved the bytes
	Rounds           uint64 // at least one a message
}

// Endpoint sends and receives the messages of one rank. It belongs to the
// thread of its port.
type Endpoint struct {
	port    dimmnet.Port
	limits  dimmnet.Limits
	layout  layout
	botf    int // the largest message by BOTF
	group   uint8
	numbers []uint8 // by peer: of the next message between it and this rank
	acked   uint64  // the size of the last PUSH or PULL, until its done word is clear
	stats   Stats
	err     error // from the first broken word on
}

// New returns the Endpoint of p's rank. The port must have RDMA, bulk memory and
// Stores of a word; the areas of its peers must fit (see the package comment).
// No message may come before all that lies behind cfg's bases is zero, as it is
// at the start of a run.
func New(p dimmnet.Port, cfg Config) (*Endpoint, error) {
	limits := p.Limits()
	if limits.RDMA < 1 || limits.Bulk < 1 || limits.Store < wordBytes || limits.Block < 1 {
		return nil, fmt.Errorf("sendrecv: the port lacks RDMA, bulk memory, or Stores of %d bytes: %+v", wordBytes, limits)
	}
	botf := max(cfg.BOTF, 0)
	if cfg.BOTF == 0 {
		botf = limits.Block
	}
	l, err := newLayout(limits, p.Nodes(), cfg, botf)
	if err != nil {
		return nil, err
	}
	return &Endpoint{
		port:    p,
		limits:  limits,
		layout:  l,
		botf:    botf,
		group:   cfg.Group,
		numbers: make([]uint8, p.Nodes()),
	}, nil
}

// Send is DIMM_Send: it sends p, 0 to MaxBytes bytes, to dst, and returns when
// dst is in the Recv that takes it and p may be reused. Messages of a pair are
// received in the order sent.
//
// Errors: ErrTooLong, ErrClash, dst is the own rank or none, the port has failed,
// or a word of dst makes no sense. The last is for good: which bytes dst may
// still touch is not known then.
func (e *Endpoint) Send(dst dimmnet.Rank, p []byte) error {
	if err := e.check(dst); err != nil {
		return err
	}
	if len(p) > MaxBytes {
		return fmt.Errorf("sendrecv: message of %d bytes: %d at most", len(p), MaxBytes)
	}
	s := newSender(e, dst, p)
	return e.conclude(dst, dimmnet.Drive(e.port, s, s.isOver))
}

// Recv is DIMM_Recv: it receives the next message of src to p and returns its
// length. A message longer than p is ErrTooLong at both ends. The errors are those
// of Send; with one, what p holds is undefined.
func (e *Endpoint) Recv(src dimmnet.Rank, p []byte) (n int, err error) {
	if err := e.check(src); err != nil {
		return 0, err
	}
	r := newReceiver(e, src, p)
	if err := e.conclude(src, dimmnet.Drive(e.port, r, r.isOver)); err != nil {
		return 0, err
	}
	return r.pos, nil
}

// Stats says what this Endpoint has done so far.
func (e *Endpoint) Stats() Stats { return e.stats }

// check says whether a call that names peer can begin.
func (e *Endpoint) check(peer dimmnet.Rank) error {
	switch {
	case e.err != nil:
		return e.err
	case int(peer) >= e.port.Nodes():
		return fmt.Errorf("sendrecv: rank %d: there are %d nodes", peer, e.port.Nodes())
	case peer == e.port.Rank():
		return fmt.Errorf("sendrecv: rank %d names itself", peer)
	}
	return nil
}

// conclude counts a message, or remembers that the rank cannot go on.
func (e *Endpoint) conclude(peer dimmnet.Rank, err error) error {
	if err == nil || errors.Is(err, ErrTooLong) || errors.Is(err, ErrClash) {
		e.numbers[peer]++
	} else {
		e.err = err
	}
	return err
}
