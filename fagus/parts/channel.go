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
	memory   *fagus.Array[byte] // the head, and behind it the ring: a stream of encoded values
	head     [headLength]int64  // as this rank last read it: see the indexes below
	size     int                // the length of all values; 0: each one is behind its length
	capacity int64
	senders  int64
	set      *fagus.SyncSet
	reports  bool // tenures report what they write
	codec    codec.Codec[T]
	buffer   []byte        // the value that is being sent or received
	changed  []fagus.Range // of the memory, in this tenure

	hasRoom, hasValue func() bool
}

// The words of the head. A value that is longer than the free part of the ring goes in pieces.
// Meanwhile no other rank may send, or receive.
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

// ringAt is where in the memory the ring begins.
const ringAt = headLength * wordBytes

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
	room := wordBytes + usualBytes
	if c.size = c.codec.Size(); c.size > 0 {
		room = c.size
	}
	memory := fagus.NewGuarded[byte](n, name, ringAt+capacity*room)
	if err := n.Err(); err != nil {
		return nil, err
	}
	c.memory = memory.Array
	want := memory.Write().Unordered()
	if c.reports = n.Virtual() || c.length() > comparedBytes; c.reports {
		want = want.Reporting()
	}
	c.set = n.Set(want)
	c.hasRoom = func() bool {
		h := c.look()
		return c.over() || c.mine(h[writing]) && h[sent]-h[received] < c.capacity && h[written]-h[read] < int64(c.length())
	}
	c.hasValue = func() bool {
		h := c.look()
		return c.over() && h[written] == h[read] || c.mine(h[reading]) && h[written] != h[read]
	}
	return c, nil
}

// length returns the length of the ring.
func (c *Channel[T]) length() int { return c.memory.Len() - ringAt }

// look reads the head.
func (c *Channel[T]) look() *[headLength]int64 {
	b := c.memory.Slice()
	for i := range c.head {
		c.head[i] = int64(binary.NativeEndian.Uint64(b[i*wordBytes:]))
	}
	return &c.head
}

// note writes the words lo to hi-1 of the head.
func (c *Channel[T]) note(lo, hi int) {
	b := c.write(lo*wordBytes, hi*wordBytes)
	for i, word := range c.head[lo:hi] {
		binary.NativeEndian.PutUint64(b[i*wordBytes:], uint64(word))
	}
}

// write returns the bytes lo to hi-1 of the memory, to be written.
func (c *Channel[T]) write(lo, hi int) []byte {
	if c.reports {
		c.changed = append(c.changed, c.memory.Range(lo, hi))
	}
	return c.memory.Part(lo, hi)
}

// over reports whether all senders have closed the channel, or no number of them can: see others.
func (c *Channel[T]) over() bool { return c.head[closed] >= c.senders || c.others() }

// others reports whether the channel had another number of senders when the first one closed it, in
// a run from which this one resumes.
func (c *Channel[T]) others() bool {
	return c.head[closed] > 0 && c.head[promised] != c.senders
}

// mine reports whether this rank may send or receive, by writing or reading.
func (c *Channel[T]) mine(turn int64) bool { return turn == 0 || turn == 1+int64(c.node.Rank()) }

// Send sends a value. It waits while the channel is full. The rank must hold no variable. It is an
// error to send on a channel that is closed.
func (c *Channel[T]) Send(value T) error {
	b, err := c.encode(value)
	if err != nil {
		return err
	}
	for h := &c.head; len(b) > 0; {
		if err := c.acquire("full", c.hasRoom); err != nil {
			return err
		}
		if c.over() {
			return c.refuse("Send after Close by all its senders")
		}
		for len(b) > 0 && h[written]-h[read] < int64(c.length()) {
			lo, hi := c.piece(h[written], min(len(b), c.length()-int(h[written]-h[read])))
			b = b[copy(c.write(lo, hi), b):]
			h[written] += int64(hi - lo)
		}
		if h[writing] = 1 + int64(c.node.Rank()); len(b) == 0 {
			h[writing] = 0
			h[sent]++
		}
		c.note(sent, writing+1)
		if err := c.release(); err != nil {
			return err
		}
	}
	return nil
}

// encode returns what goes into the ring for a value.
func (c *Channel[T]) encode(value T) (b []byte, err error) {
	begin := c.prefix()
	if b, err = c.codec.Append(append(c.buffer[:0], make([]byte, begin)...), value); err != nil {
		return nil, fmt.Errorf("parts: channel %q: %w", c.name, err)
	}
	if c.buffer = b; begin > 0 {
		if len(b)-begin > longestValue {
			return nil, fmt.Errorf("parts: channel %q: a value of %d bytes: want at most %d", c.name, len(b)-begin, longestValue)
		}
		binary.NativeEndian.PutUint64(b, uint64(len(b)-begin))
	}
	return b, nil
}

// prefix is how many bytes before a value say how long it is.
func (c *Channel[T]) prefix() int {
	if c.size > 0 {
		return 0
	}
	return wordBytes
}

// Receive returns the next value. It waits while the channel is empty. ok is false if the channel
// is closed and empty. The rank must hold no variable.
func (c *Channel[T]) Receive() (value T, ok bool, err error) {
	b := c.buffer[:0]
	for h, length := &c.head, c.prefix()+c.size; len(b) < length; {
		if err := c.acquire("empty", c.hasValue); err != nil {
			return value, false, err
		}
		if h[written] == h[read] {
			if len(b) > 0 {
				return value, false, c.refuse("Receive of a value of which a part was sent before all senders called Close")
			}
			return value, false, c.release()
		}
		b, length = c.take(b, length)
		if h[reading] = 1 + int64(c.node.Rank()); len(b) == length {
			h[reading] = 0
			h[received]++
		}
		c.note(received, reading+1)
		if err := c.release(); err != nil {
			return value, false, err
		}
	}
	c.buffer = b
	if value, err = c.codec.DecodeAll(b[c.prefix():]); err != nil {
		return value, false, fmt.Errorf("parts: channel %q: %w", c.name, err)
	}
	return value, true, nil
}

// take appends to b what the ring has of a value, of which b has length bytes in the end. If values
// differ in length, the first word says by how much take must increase length.
func (c *Channel[T]) take(b []byte, length int) ([]byte, int) {
	for h := &c.head; len(b) < length && h[read] < h[written]; {
		lo, hi := c.piece(h[read], min(length-len(b), int(h[written]-h[read])))
		b = append(b, c.memory.Part(lo, hi)...)
		h[read] += int64(hi - lo)
		if len(b) == wordBytes && c.size == 0 {
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
	if err := c.acquire("in use", func() bool { c.look(); return true }); err != nil {
		return err
	}
	if c.over() {
		return c.refuse("Close by more ranks than there are senders")
	}
	c.head[closed]++
	c.head[promised] = c.senders
	c.note(closed, promised+1)
	return c.release()
}

// acquire begins a tenure in which ready, which looks at the head, returns true. Until then the
// channel is what state says, for errors.
func (c *Channel[T]) acquire(state string, ready func() bool) error {
	c.changed = c.changed[:0]
	h := &c.head
	if err := c.node.AcquireWhen(c.set, ready); errors.Is(err, dimmnet.ErrDeadlock) {
		return fmt.Errorf("parts: channel %q is %s, and %d of its %d senders have called Close: %w", c.name, state, h[closed], c.senders, err)
	} else if err != nil {
		return err
	}
	if c.others() {
		return c.refuse(fmt.Sprintf("in the run that made the checkpoint there were %d, of which %d have called Close: a run that resumes needs as many", h[promised], h[closed]))
	}
	if n := h[written] - h[read]; n < 0 || n > int64(c.length()) || h[read] < 0 {
		return c.refuse(fmt.Sprintf("its memory is damaged: %d bytes were sent and %d received", h[written], h[read]))
	}
	return nil
}

// release ends a tenure.
func (c *Channel[T]) release() error {
	if c.reports {
		if err := c.node.Wrote(c.changed...); err != nil {
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

// piece returns where in the memory the first of n bytes of the stream from a position are.
func (c *Channel[T]) piece(from int64, n int) (lo, hi int) {
	lo = int(from % int64(c.length()))
	return ringAt + lo, ringAt + min(lo+n, c.length())
}
