package parts

import (
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/fagus"
)

// Channel is a bounded queue between ranks, like a Go channel: any ranks send values and any ranks
// receive them, each value once, in the order in which they were sent. A rank that finds the
// channel full or empty waits for a change (fagus.Node.AcquireWhen), and polls nothing.
//
//	tiles, err := parts.NewChannel[tile](n, "tiles", 16, 1)
//	if n.Rank() == 0 {
//		for _, t := range all {
//			tiles.Send(t)
//		}
//		tiles.Close()
//	} else {
//		for t := range tiles.All() {
//			paint(t)
//		}
//	}
//	return n.Err()
//
// In Threaded mode a value goes from rank to rank at once. In Phase mode each Send and each Receive
// is a phase, in which all ranks take part by their next call.
type Channel[T any] struct {
	node    *fagus.Node
	name    string
	ring    *fagus.Array[T]
	head    *fagus.Array[int64] // see the indexes below
	senders int64
	set     *fagus.SyncSet

	hasRoom, hasValue func() bool
}

// The elements of Channel.head.
const (
	sent = iota // the number of values so far; likewise received
	received
	closed // how many ranks have called Close
	headLength
)

// NewChannel makes a channel with room for capacity values of T, a type that NewArray accepts. It
// is closed when senders ranks have called Close. NewChannel is collective.
func NewChannel[T any](n *fagus.Node, name string, capacity, senders int) (c *Channel[T], err error) {
	if capacity < 1 || senders < 1 || senders > n.Nodes() {
		return nil, fmt.Errorf("parts: channel %q with room for %d values and %d senders: want room for at least 1, and 1 to %d senders", name, capacity, senders, n.Nodes())
	}
	c = &Channel[T]{node: n, name: name, senders: int64(senders)}
	if c.head, err = fagus.NewArray[int64](n, name+".head", headLength); err != nil {
		return nil, err
	}
	if c.ring, err = fagus.NewArray[T](n, name, capacity); err != nil {
		return nil, err
	}
	v, err := n.Bind(name, c.head.All(), c.ring.All())
	if err != nil {
		return nil, err
	}
	c.set = n.Set(v.Write().Unordered().Reporting())
	c.hasRoom = func() bool { h := c.head.Slice(); return h[sent]-h[received] < int64(capacity) || c.over(h) }
	c.hasValue = func() bool { h := c.head.Slice(); return h[sent] > h[received] || c.over(h) }
	return c, nil
}

// over reports whether all senders have closed the channel.
func (c *Channel[T]) over(head []int64) bool { return head[closed] >= c.senders }

// Send sends a value. It waits while the channel is full. The rank must hold no variable. To send
// on a channel that is closed is an error.
func (c *Channel[T]) Send(value T) error {
	if err := c.node.AcquireWhen(c.set, c.hasRoom); err != nil {
		return err
	}
	h, ring := c.head.Slice(), c.ring.Slice()
	if c.over(h) {
		_ = c.node.Release(c.set)
		return fmt.Errorf("parts: channel %q: Send after Close by all its %d senders", c.name, c.senders)
	}
	at := int(h[sent] % int64(len(ring)))
	ring[at] = value
	h[sent]++
	return c.release(sent, c.ring.Range(at, at+1))
}

// Receive returns the next value. It waits while the channel is empty. ok is false if the channel
// is closed and empty, or if a call of the rank has failed (fagus.Node.Err). The rank must hold no
// variable.
func (c *Channel[T]) Receive() (value T, ok bool) {
	if err := c.node.AcquireWhen(c.set, c.hasValue); err != nil {
		return value, false
	}
	h, ring := c.head.Slice(), c.ring.Slice()
	if h[sent] == h[received] {
		_ = c.node.Release(c.set) // an error sticks
		return value, false
	}
	value = ring[h[received]%int64(len(ring))]
	h[received]++
	return value, c.release(received) == nil
}

// All returns the values that this rank receives until the channel is closed and empty, or a call
// fails.
func (c *Channel[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			if value, ok := c.Receive(); !ok || !yield(value) {
				return
			}
		}
	}
}

// Close says that this rank sends nothing more. When all senders have said so, and the channel is
// empty, Receive returns false. The rank must hold no variable.
func (c *Channel[T]) Close() error {
	if err := c.node.Acquire(c.set); err != nil {
		return err
	}
	h := c.head.Slice()
	if c.over(h) {
		_ = c.node.Release(c.set)
		return fmt.Errorf("parts: channel %q: Close of a channel that its %d senders have closed", c.name, c.senders)
	}
	h[closed]++
	return c.release(closed)
}

// release ends a tenure that has changed an element of the head, and ranges of the ring.
func (c *Channel[T]) release(element int, ring ...fagus.Range) error {
	if err := c.node.Wrote(append(ring, c.head.Range(element, element+1))...); err != nil {
		return err
	}
	return c.node.Release(c.set)
}
