package parts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts/codec"
)

// Channel is a bounded queue between ranks, like a Go channel: any ranks send values and any ranks
// receive them, each value once, in the order in which they were sent. A rank that finds the
// channel full or empty waits for a change (fagus.Node.AcquireWhen), and polls nothing.
//
//	tiles, err := parts.NewChannel[tile](n, "tiles", 16, 1)
//	if n.Rank() == 0 {
//		for _, t := range all {
//			err = tiles.Send(t)
//		}
//		err = tiles.Close()
//	} else {
//		for t, err := range tiles.All() {
//			...
//		}
//	}
//
// The values may be of any type that package codec encodes, and of any size: strings, slices, maps,
// and structs with them. What the channel holds is in checkpoints. A run that resumes may have
// another number of ranks, and of senders if none of them had called Close.
//
// In Threaded mode a value goes from rank to rank at once. In Phase mode each Send and each Receive
// is a phase, in which all ranks take part by their next call: a rank that works on a value holds
// up the others. So small values are best sent many at a time, in a slice, and values that are much
// work in threaded mode.
type Channel[T any] struct {
	node     *fagus.Node
	name     string
	ring     *fagus.Array[byte]  // a stream of encoded values, each behind its length
	head     *fagus.Array[int64] // see the indexes below
	capacity int64
	senders  int64
	set      *fagus.SyncSet
	reports  bool // tenures report what they write
	codec    codec.Codec[T]
	buffer   []byte        // the value that is being sent or received
	changed  []fagus.Range // reused
	closers  int64         // how many ranks had called Close when this rank last held the channel

	hasRoom, hasValue func() bool
}

// The elements of Channel.head. A value that is longer than the free part of the ring goes in
// pieces. Meanwhile no other rank may send, or receive.
const (
	sent     = iota // the number of values
	written         // the number of bytes
	writing         // 1 plus the rank that has sent a part of a value; 0: none has
	received        // as sent
	read            // as written
	reading         // as writing
	closed          // how many ranks have called Close
	promised        // the number of senders at the first Close
	headLength
)

// usualBytes is how long an encoded value may be so that a full channel has room for it, if values
// differ in size.
const usualBytes = 256

// comparedBytes is the length of a ring up to which Release finds what was written by comparing, on
// a real clock: of a ring of 256 bytes that takes 30 ns, and reports 130.
const comparedBytes = 4096

// longestValue bounds an encoded value. All its bits are set: a length from damaged memory is cut.
const longestValue = math.MaxInt32

// NewChannel makes a channel with room for capacity values. It is closed when senders ranks have
// called Close. NewChannel is collective.
func NewChannel[T any](n *fagus.Node, name string, capacity, senders int) (c *Channel[T], err error) {
	if capacity < 1 || capacity > mostRoom || senders < 1 || senders > n.Nodes() {
		return nil, fmt.Errorf("parts: channel %q with room for %d values, and %d senders: want room for 1 to %d, and 1 to %d senders", name, capacity, senders, mostRoom, n.Nodes())
	}
	c = &Channel[T]{node: n, name: name, capacity: int64(capacity), senders: int64(senders)}
	if c.codec, err = codecOf[T](n); err != nil {
		return nil, fmt.Errorf("parts: channel %q: %w", name, err)
	}
	size := usualBytes
	if c.codec.Flat() {
		var zero T
		b, err := c.codec.Append(nil, zero)
		if err != nil {
			return nil, fmt.Errorf("parts: channel %q: %w", name, err)
		}
		size = len(b)
	}
	if c.head, err = fagus.NewArray[int64](n, name+".head", headLength); err != nil {
		return nil, err
	}
	if c.ring, err = fagus.NewArray[byte](n, name, capacity*(wordBytes+size)); err != nil {
		return nil, err
	}
	v, err := n.Bind(name, c.head.All(), c.ring.All())
	if err != nil {
		return nil, err
	}
	want := v.Write().Unordered()
	if c.reports = n.Virtual() || c.ring.Len() > comparedBytes; c.reports {
		want = want.Reporting()
	}
	c.set = n.Set(want)
	c.hasRoom = func() bool {
		h := c.head.Slice()
		return c.over(h) || c.mine(h[writing]) && h[sent]-h[received] < c.capacity && h[written]-h[read] < int64(c.ring.Len())
	}
	c.hasValue = func() bool {
		h := c.head.Slice()
		return c.over(h) && h[written] == h[read] || c.mine(h[reading]) && h[written] != h[read]
	}
	return c, nil
}

// over reports whether all senders have closed the channel, or no number of them can: see others.
func (c *Channel[T]) over(head []int64) bool {
	c.closers = head[closed]
	return c.closers >= c.senders || c.others(head)
}

// others reports whether the channel had another number of senders when the first one closed it, in
// a run from which this one resumes.
func (c *Channel[T]) others(head []int64) bool {
	return head[closed] > 0 && head[promised] != c.senders
}

// mine reports whether this rank may send or receive, by writing or reading.
func (c *Channel[T]) mine(turn int64) bool { return turn == 0 || turn == 1+int64(c.node.Rank()) }

// Send sends a value. It waits while the channel is full. The rank must hold no variable. It is an
// error to send on a channel that is closed.
func (c *Channel[T]) Send(value T) error {
	var length [wordBytes]byte
	b, err := c.codec.Append(append(c.buffer[:0], length[:]...), value)
	if err != nil {
		return fmt.Errorf("parts: channel %q: %w", c.name, err)
	}
	if len(b)-wordBytes > longestValue {
		return fmt.Errorf("parts: channel %q: a value of %d bytes: want at most %d", c.name, len(b)-wordBytes, longestValue)
	}
	c.buffer = b
	binary.NativeEndian.PutUint64(b, uint64(len(b)-wordBytes))
	for len(b) > 0 {
		h, err := c.acquire("full", c.hasRoom)
		if err != nil {
			return err
		}
		if c.over(h) {
			return c.refuse("Send after Close by all its senders")
		}
		changed := append(c.changed[:0], c.head.Range(sent, writing+1))
		for len(b) > 0 && h[written]-h[read] < int64(c.ring.Len()) {
			lo, hi := c.piece(h[written], min(len(b), c.ring.Len()-int(h[written]-h[read])))
			b = b[copy(c.ring.Part(lo, hi), b):]
			h[written] += int64(hi - lo)
			changed = append(changed, c.ring.Range(lo, hi))
		}
		if h[writing] = 1 + int64(c.node.Rank()); len(b) == 0 {
			h[writing] = 0
			h[sent]++
		}
		c.changed = changed
		if err := c.release(changed...); err != nil {
			return err
		}
	}
	return nil
}

// Receive returns the next value. It waits while the channel is empty. ok is false if the channel
// is closed and empty. The rank must hold no variable.
func (c *Channel[T]) Receive() (value T, ok bool, err error) {
	b := c.buffer[:0]
	for length := wordBytes; len(b) < length; {
		h, err := c.acquire("empty", c.hasValue)
		if err != nil {
			return value, false, err
		}
		if h[written] == h[read] {
			if len(b) > 0 {
				return value, false, c.refuse("Receive of a value of which a part was sent before all senders called Close")
			}
			return value, false, c.release()
		}
		b, length = c.take(h, b, length)
		if h[reading] = 1 + int64(c.node.Rank()); len(b) == length {
			h[reading] = 0
			h[received]++
		}
		if err := c.release(c.head.Range(received, reading+1)); err != nil {
			return value, false, err
		}
	}
	c.buffer = b
	if value, err = c.codec.DecodeAll(b[wordBytes:]); err != nil {
		return value, false, fmt.Errorf("parts: channel %q: %w", c.name, err)
	}
	return value, true, nil
}

// take appends to b what the ring has of a value of length bytes. The value begins with its length,
// by which take increases length.
func (c *Channel[T]) take(h []int64, b []byte, length int) ([]byte, int) {
	for len(b) < length && h[read] < h[written] {
		lo, hi := c.piece(h[read], min(length-len(b), int(h[written]-h[read])))
		b = append(b, c.ring.Part(lo, hi)...)
		h[read] += int64(hi - lo)
		if len(b) == wordBytes {
			length += int(binary.NativeEndian.Uint64(b) & longestValue)
		}
	}
	return b, length
}

// All returns the values that this rank receives until the channel is closed and empty. An error
// comes with the zero value, and is the last.
func (c *Channel[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			value, ok, err := c.Receive()
			if !ok && err == nil || !yield(value, err) || err != nil {
				return
			}
		}
	}
}

// Close says that this rank sends nothing more. When all senders have said so, and the channel is
// empty, Receive returns false. The rank must hold no variable.
func (c *Channel[T]) Close() error {
	h, err := c.acquire("in use", func() bool { return true })
	if err != nil {
		return err
	}
	if c.over(h) {
		return c.refuse("Close by more ranks than there are senders")
	}
	h[closed]++
	h[promised] = c.senders
	return c.release(c.head.Range(closed, promised+1))
}

// acquire begins a tenure in which ready returns true, and returns the head. Until then the channel
// is what state says, for errors.
func (c *Channel[T]) acquire(state string, ready func() bool) (h []int64, err error) {
	if err := c.node.AcquireWhen(c.set, ready); errors.Is(err, dimmnet.ErrDeadlock) {
		return nil, fmt.Errorf("parts: channel %q is %s, and %d of its %d senders have called Close: %w", c.name, state, c.closers, c.senders, err)
	} else if err != nil {
		return nil, err
	}
	h = c.head.Slice()
	if c.others(h) {
		return nil, c.refuse(fmt.Sprintf("in the run that made the checkpoint there were %d, of which %d have called Close: a run that resumes needs as many", h[promised], h[closed]))
	}
	if n := h[written] - h[read]; n < 0 || n > int64(c.ring.Len()) || h[read] < 0 {
		return nil, c.refuse(fmt.Sprintf("its memory is damaged: %d bytes were sent and %d received", h[written], h[read]))
	}
	return h, nil
}

// release ends a tenure that has changed ranges.
func (c *Channel[T]) release(changed ...fagus.Range) error {
	if c.reports {
		if err := c.node.Wrote(changed...); err != nil {
			return err
		}
	}
	return c.node.Release(c.set)
}

// refuse ends a tenure with an error.
func (c *Channel[T]) refuse(why string) error {
	if err := c.node.Release(c.set); err != nil {
		return err
	}
	return fmt.Errorf("parts: channel %q with %d senders: %s", c.name, c.senders, why)
}

// piece returns where in the ring the first of n bytes of the stream from a position are.
func (c *Channel[T]) piece(from int64, n int) (lo, hi int) {
	lo = int(from % int64(c.ring.Len()))
	return lo, min(lo+n, c.ring.Len())
}
