package parts

import (
	"fmt"
	"math/bits"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts/codec"
)

// carrier moves messages of any length between ranks: encoded values. A node has one, for the calls
// of all tables, and of all types whose elements NewArray does not accept. When its arrays are too
// small, all ranks agree on a size and replace them.
type carrier struct {
	node    *fagus.Node
	all     *AllToAll[byte] // nil until a call uses it
	vectors *Vectors[byte]  // likewise
}

func carrierOf(n *fagus.Node) *carrier {
	type key struct{}
	return n.Attached(key{}, func() any { return &carrier{node: n} }).(*carrier)
}

// codecOf returns the codec of a type, which a node makes once.
func codecOf[T any](n *fagus.Node) (codec.Codec[T], error) {
	type key struct{} // another one for each T
	type made struct {
		codec.Codec[T]
		err error
	}
	m := n.Attached(key{}, func() any {
		c, err := codec.Of[T]()
		return made{c, err}
	}).(made)
	return m.Codec, m.err
}

// agree returns a size for the largest need of all ranks.
func (c *carrier) agree(need int) (size int, err error) {
	const least = 1024 // bytes
	most, err := fagus.Reduce(c.node, need, func(a, b int) int { return max(a, b) })
	return 1 << bits.Len(uint(max(most, least)-1)), err
}

// exchange sends to[r] to rank r, and calls receive with what the ranks have sent to this one; at
// its own place is nothing. What receive gets is in shared memory.
func (c *carrier) exchange(to [][]byte, receive func(from [][]byte) error) error {
	me, need := c.node.Rank(), 0
	for r, b := range to {
		if r != me {
			need = max(need, len(b))
		}
	}
	size, err := c.agree(need)
	if err != nil {
		return err
	}
	if c.all == nil || size > c.all.capacity {
		if c.all, err = NewAllToAll[byte](c.node, fmt.Sprintf("parts.exchanged.%d", size), size); err != nil {
			return err
		}
	}
	var wrong error
	err = c.all.Exchange(
		func(all [][]byte) {
			copy(all, to)
			all[me] = nil
		},
		func(from [][]byte) { wrong = receive(from) })
	if err != nil {
		return err
	}
	return wrong
}

// gather calls read with what all ranks have passed as mine, by rank, in shared memory. A rank
// whose read is nil gets nothing.
func (c *carrier) gather(mine []byte, read func(from [][]byte) error) error {
	size, err := c.agree(len(mine))
	if err != nil {
		return err
	}
	if c.vectors == nil || size > c.vectors.length {
		if c.vectors, err = NewVectors[byte](c.node, fmt.Sprintf("parts.gathered.%d", size), size); err != nil {
			return err
		}
	}
	if read == nil {
		return c.vectors.Gather(mine, nil)
	}
	var wrong error
	if err := c.vectors.Gather(mine, func(from [][]byte) { wrong = read(from) }); err != nil {
		return err
	}
	return wrong
}

// values encodes vectors of values that shared arrays cannot have as elements, and moves them.
type values[T any] struct {
	*carrier
	codec codec.Codec[[]T]
}

// valuesOf returns nil if NewArray accepts elements of type T, and their number is limited.
func valuesOf[T any](n *fagus.Node, limit int) (*values[T], error) {
	one, err := codecOf[T](n)
	if err != nil || one.Flat() && limit > 0 {
		return nil, err
	}
	c, err := codecOf[[]T](n)
	return &values[T]{carrierOf(n), c}, err
}

// exchange sends to[r] to rank r, and returns what the ranks have sent to this one. It returns this
// rank's own elements as they are.
func (v *values[T]) exchange(to [][]T) (from [][]T, err error) {
	me := v.node.Rank()
	encoded := make([][]byte, len(to))
	for r, x := range to {
		if r != me && len(x) > 0 {
			if encoded[r], err = v.codec.Append(nil, x); err != nil {
				return nil, err
			}
		}
	}
	from = make([][]T, len(to))
	from[me] = to[me]
	return from, v.carrier.exchange(encoded, func(all [][]byte) error {
		for r, b := range all {
			if len(b) == 0 {
				continue
			}
			if from[r], err = v.codec.DecodeAll(b); err != nil {
				return fmt.Errorf("from rank %d: %w", r, err)
			}
		}
		return nil
	})
}

// gather returns the vectors of all ranks, by rank, if they are wanted here.
func (v *values[T]) gather(x []T, wanted bool) (from [][]T, err error) {
	mine, err := v.codec.Append(nil, x)
	if err != nil {
		return nil, err
	}
	if !wanted {
		return nil, v.carrier.gather(mine, nil)
	}
	from = make([][]T, v.node.Nodes())
	return from, v.carrier.gather(mine, func(all [][]byte) error {
		for r, b := range all {
			if from[r], err = v.codec.DecodeAll(b); err != nil {
				return fmt.Errorf("of rank %d: %w", r, err)
			}
		}
		return nil
	})
}
