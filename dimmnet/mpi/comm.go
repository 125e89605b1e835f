package mpi

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Options says how a rank uses its NIC. The zero value is useful. LLCM and Ring must be the
// same on all ranks.
type Options struct {
	// Eager is the length in bytes up to which messages are sent at once; longer ones wait
	// until their receiver asks for them. 0 means a page, or what the link takes at once if
	// that is less; less than 0 that none is sent at once, not even one of no bytes.
	Eager int
	// LLCM is where the rings start, counted in bytes; a multiple of 8. All that lies behind
	// must be zero at first, as it is at the start of a run.
	LLCM dimmnet.Offset
	// Ring is the size in bytes of the ring from one rank to another, rounded down to words.
	// 0 means as large as there is room for, up to 1 MiB.
	Ring int
	// Link, if not nil, is what carries messages, instead of rings in the LLCM.
	Link Link
}

const (
	defaultEager = 4096
	minBlock     = 64      // data of a control packet, of any Link
	maxContext   = 1 << 31 // contexts are never used again
)

// Comm is a communicator: ranks that exchange messages which no other communicator sees. It
// belongs to the thread of its rank.
type Comm struct {
	engine  *engine
	host    dimmnet.Host
	context uint32         // of messages between two; that of collectives is the next
	group   []dimmnet.Rank // by rank
	rank    int
	calls   uint32 // collectives so far
}

// Start joins all ranks of a run: it returns the communicator of all. Every rank must call it,
// and Finalize before its body returns.
func Start(h dimmnet.Host, opts Options) (*Comm, error) {
	port := h.Port()
	link := opts.Link
	if link == nil {
		rings, err := newRingLink(port, opts)
		if err != nil {
			return nil, err
		}
		link = rings
	}
	if b := link.Block(); b < minBlock {
		return nil, fmt.Errorf("mpi: the link takes %d bytes behind a control packet, at least %d are needed", b, minBlock)
	}
	if opts.Eager > link.Block() {
		return nil, fmt.Errorf("mpi: Eager %d: the link takes %d bytes at once", opts.Eager, link.Block())
	}
	eager := opts.Eager
	if eager == 0 {
		eager = min(defaultEager, link.Block())
	}
	c := &Comm{engine: newEngine(port, link, eager), host: h, rank: int(port.Rank())}
	for i := range port.Nodes() {
		c.group = append(c.group, dimmnet.Rank(i))
	}
	c.engine.context = 2
	return c, nil
}

// Run is Start, body and Finalize.
func Run(h dimmnet.Host, opts Options, body func(*Comm) error) error {
	c, err := Start(h, opts)
	if err != nil {
		return err
	}
	if err := body(c); err != nil {
		return err
	}
	return c.Finalize()
}

// Finalize waits until all ranks have called it, and all that they have sent is on its way. A
// rank whose requests are not all complete by then gets an error. Call it for one communicator that
// has all ranks; no communicator is of use then. Messages that nobody has received are lost.
func (c *Comm) Finalize() error {
	if len(c.group) != len(c.engine.out) {
		return fmt.Errorf("mpi: Finalize of a communicator of %d ranks: the run has %d", len(c.group), len(c.engine.out))
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	if n := c.engine.open; n > 0 {
		return c.engine.fail(fmt.Errorf("mpi: rank %d finalizes with %d requests that are not complete", c.rank, n))
	}
	if err := c.engine.wait(c.engine.drained); err != nil {
		return err
	}
	_ = c.engine.fail(errors.New("mpi: Finalize has been called"))
	return nil
}

// Rank is the own number in the communicator.
func (c *Comm) Rank() int { return c.rank }

// Size is how many ranks the communicator has.
func (c *Comm) Size() int { return len(c.group) }

// Eager is the length in bytes up to which messages are sent at once; less than 0: none.
func (c *Comm) Eager() int { return c.engine.eager }

// Stats says what the rank has done so far, in all communicators.
func (c *Comm) Stats() Stats { return c.engine.stats }

// Dup returns a communicator with the same ranks. It is collective.
func (c *Comm) Dup() (*Comm, error) { return c.Split(0, c.rank) }

// Split divides the ranks: those that give the same color get a communicator together, in the order of
// key, then of rank. A color less than 0 gets none: nil. It is collective.
func (c *Comm) Split(color, key int) (*Comm, error) {
	if color > math.MaxInt32 || key < math.MinInt32 || key > math.MaxInt32 {
		return nil, fmt.Errorf("mpi: Split by color %d, key %d: they have 32 bits", color, key)
	}
	const each = 12
	own := binary.LittleEndian.AppendUint32(nil, uint32(int32(max(color, -1))))
	own = binary.LittleEndian.AppendUint32(own, uint32(int32(key)))
	own = binary.LittleEndian.AppendUint32(own, c.engine.context)
	all := make([]byte, each*len(c.group))
	if err := c.Allgather(own, all); err != nil {
		return nil, err
	}
	type member struct{ rank, key int }
	var members []member
	for i := range c.group {
		b := all[each*i:]
		// All of the new ones can have one context: no rank is in two of them.
		c.engine.context = max(c.engine.context, binary.LittleEndian.Uint32(b[8:]))
		if theirs := int(int32(binary.LittleEndian.Uint32(b))); theirs == max(color, -1) {
			members = append(members, member{i, int(int32(binary.LittleEndian.Uint32(b[4:])))})
		}
	}
	context := c.engine.context
	if context >= maxContext {
		return nil, c.engine.fail(errors.New("mpi: no context is left for a communicator"))
	}
	c.engine.context += 2
	if color < 0 {
		return nil, nil
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.key, b.key) })
	split := &Comm{engine: c.engine, host: c.host, context: context}
	for i, m := range members {
		split.group = append(split.group, c.group[m.rank])
		if m.rank == c.rank {
			split.rank = i
		}
	}
	return split, nil
}
