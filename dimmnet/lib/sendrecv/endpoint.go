package sendrecv

import (
	"errors"
	"fmt"
	"math"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// MaxBytes is the largest length of a message.
const MaxBytes = math.MaxInt32

// Errors that both ends of a message return. No data has moved; both Endpoints remain usable.
var (
	// ErrTooLong reports that the message is longer than the receiver's buffer.
	ErrTooLong = errors.New("the message is longer than the receive buffer")
	// ErrClash reports that two ranks both send to, or both receive from, each other. Without
	// the error they would wait forever.
	ErrClash = errors.New("both ranks are in the same call")
)

// Config configures an Endpoint's use of the NIC's memory. The zero value is useful. All ranks
// of a run must use the same Config.
type Config struct {
	// LLCM and Bulk are the offsets of the areas from the start of the LLCM and of the bulk
	// memory, in bytes. They must be multiples of 8.
	LLCM, Bulk dimmnet.Offset
	// BOTF is the largest message, in bytes, that goes by BOTF if the receiver is first; longer
	// messages go by PUSH. 0 means one block (Limits.Block), and a negative value means none. A
	// message longer than a block takes several BOTFs.
	BOTF int
	// Group is the process group id (PGID) of the run. A word from another group is an error.
	Group uint8
}

// Stats counts the messages sent and received: Sent+Received equals BOTF+Push+Pull. A message of
// 0 bytes, a notice, counts as BOTF if the receiver was first, and otherwise as Pull.
type Stats struct {
	Sent, Received   uint64
	BOTF, Push, Pull uint64 // messages by the primitive that moved them
	Rounds           uint64 // rounds of all messages; at least one each
}

// Endpoint sends and receives the messages of one rank. Only the thread of its port may use it.
type Endpoint struct {
	port    dimmnet.Port
	limits  dimmnet.Limits
	layout  layout
	botf    int // largest message that goes by BOTF, in bytes
	group   uint8
	numbers []uint8 // by peer: number of the next message of the pair
	acked   uint64  // bytes of the last PUSH or PULL, until its done word is cleared
	stats   Stats
	err     error // the first protocol error; the Endpoint stays failed
}

// New returns the Endpoint of p's rank. The port must have RDMA, bulk memory and Stores of a
// word, and the areas of all peers must fit (see the package comment). The memory from cfg's
// offsets on must be zero before the first message arrives, as it is at the start of a run.
func New(p dimmnet.Port, cfg Config) (*Endpoint, error) {
	limits := p.Limits()
	if limits.RDMA < 1 || limits.Bulk < 1 || limits.Store < wordBytes || limits.Block < 1 {
		return nil, fmt.Errorf("sendrecv: open an endpoint: the port lacks RDMA, bulk memory, blocks or Stores of %d bytes: %+v", wordBytes, limits)
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

// Send implements DIMM_Send. It sends p, of 0 to MaxBytes bytes, to dst, and returns when dst is
// in the matching Recv and p may be reused. Messages of a pair are received in the order sent.
//
// Send returns ErrTooLong, ErrClash, an error if dst is invalid, the port's error if it has
// failed, or an error if a word of dst violates the protocol. The last makes the Endpoint
// unusable, because dst may still access an unknown range of bytes.
func (e *Endpoint) Send(dst dimmnet.Rank, p []byte) error {
	if err := e.check(dst); err != nil {
		return err
	}
	if len(p) > MaxBytes {
		return fmt.Errorf("sendrecv: send %d bytes to rank %d: want at most %d", len(p), dst, MaxBytes)
	}
	s := newSender(e, dst, p)
	return e.conclude(dst, dimmnet.Drive(e.port, s, s.isOver))
}

// Recv implements DIMM_Recv. It receives the next message of src into p and returns its length. If
// the message is longer than p, both ends return ErrTooLong. The errors are the same as for Send;
// after an error the contents of p are undefined.
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

// Stats returns the counts so far.
func (e *Endpoint) Stats() Stats { return e.stats }

func (e *Endpoint) check(peer dimmnet.Rank) error {
	switch {
	case e.err != nil:
		return e.err
	case int(peer) >= e.port.Nodes():
		return fmt.Errorf("sendrecv: exchange a message with rank %d: there are only %d ranks", peer, e.port.Nodes())
	case peer == e.port.Rank():
		return fmt.Errorf("sendrecv: exchange a message of rank %d with itself: want another rank", peer)
	}
	return nil
}

// conclude counts a message. If err makes the Endpoint unusable, it keeps err.
func (e *Endpoint) conclude(peer dimmnet.Rank, err error) error {
	if err == nil || errors.Is(err, ErrTooLong) || errors.Is(err, ErrClash) {
		e.numbers[peer]++
	} else {
		e.err = err
	}
	return err
}
