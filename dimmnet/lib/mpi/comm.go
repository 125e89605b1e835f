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

// Options configures a rank. The zero value is useful. LLCM and Ring are the same on all ranks.
type Options struct {
	// Eager is the size in bytes up to which a message is sent at once. A longer message waits
	// until its receiver asks for it. 0 means a page, or the link's Block if that is less. A
	// negative value sends no message at once, not even an empty one.
	Eager int
	// LLCM is the offset of the rings in bytes, a multiple of 8. The LLCM from there on must be
	// zero when Start is called, as it is at the start of a run.
	LLCM dimmnet.Offset
	// Ring is the size in bytes of the ring from one rank to another, rounded down to words. 0
	// means the largest that fits, up to 1 MiB.
	Ring int
	// Link, if not nil, carries the messages in place of rings in the LLCM.
	Link Link
}

const (
	defaultEager = 4096
	minBlock     = 64      // smallest Link.Block that Start accepts
	maxContext   = 1 << 31 // contexts are never reused
)

// Comm is a communicator: a group of ranks whose messages no other communicator receives. Only
// the thread of its rank may use it.
type Comm struct {
	engine  *engine
	host    dimmnet.Host
	context uint32         // of point-to-point messages; collectives use the next one
	group   []dimmnet.Rank // the network's ranks, by rank in the communicator
	rank    int
	calls   uint32 // number of collectives so far
}

// Start returns the communicator of all ranks of a run. Every rank must call Start once, and
// Finalize before its body returns.
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
		return nil, fmt.Errorf("mpi: the link carries %d bytes of data with a control packet, want at least %d", b, minBlock)
	}
	if opts.Eager > link.Block() {
		return nil, fmt.Errorf("mpi: Options.Eager is %d: the link carries at most %d bytes at once", opts.Eager, link.Block())
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

// Run calls Start, body and Finalize.
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

// Finalize waits until all ranks have called it and everything that this rank sent has left. It
// fails if a request of this rank is incomplete. Call it once, on a communicator of all ranks; no
// communicator is usable afterwards. Messages that no rank has received are lost.
func (c *Comm) Finalize() error {
	if len(c.group) != len(c.engine.out) {
		return fmt.Errorf("mpi: Finalize a communicator of %d ranks: want one of all %d ranks", len(c.group), len(c.engine.out))
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	if n := c.engine.incomplete; n > 0 {
		return c.engine.fail(fmt.Errorf("mpi: Finalize rank %d with %d incomplete requests: complete them first", c.rank, n))
	}
	if err := c.engine.wait(c.engine.drained); err != nil {
		return err
	}
	_ = c.engine.fail(errors.New("mpi: the rank has called Finalize"))
	return nil
}

// Rank returns this rank's number in the communicator.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks in the communicator.
func (c *Comm) Size() int { return len(c.group) }

// Eager returns the size in bytes up to which messages are sent at once; negative if none is.
func (c *Comm) Eager() int { return c.engine.eager }

// Stats returns the rank's counts so far, for all communicators.
func (c *Comm) Stats() Stats { return c.engine.stats }

// Dup returns a new communicator of the same ranks. It is collective.
func (c *Comm) Dup() (*Comm, error) { return c.Split(0, c.rank) }

// Split divides the ranks. Ranks with the same color form a communicator, ordered by key and
// then by rank. A rank with a negative color gets none: Split returns nil. It is collective.
func (c *Comm) Split(color, key int) (*Comm, error) {
	if color > math.MaxInt32 || key < math.MinInt32 || key > math.MaxInt32 {
		return nil, fmt.Errorf("mpi: Split by color %d and key %d: want 32-bit numbers", color, key)
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

		c.engine.context = max(c.engine.context, binary.LittleEndian.Uint32(b[8:]))
		if theirs := int(int32(binary.LittleEndian.Uint32(b))); theirs == max(color, -1) {
			members = append(members, member{i, int(int32(binary.LittleEndian.Uint32(b[4:])))})
		}
	}
	context := c.engine.context
	if context >= maxContext {
		return nil, c.engine.fail(errors.New("mpi: create a communicator: all contexts of this rank are used"))
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
