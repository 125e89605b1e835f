package parts

import (
	"fmt"
	"math/bits"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts/codec"
)

// mover moves encoded values of any length between ranks. It is an interface so that no program
// compiles the arrays of bytes below it again.
type mover interface {
	// exchange sends what encode returns for rank r to that rank, and calls decode with what each
	// rank has sent to this one, in the order of the ranks: no bytes from itself, and where encode
	// has returned none. What decode gets is in shared memory.
	exchange(encode func(to int) ([]byte, error), decode func(from int, b []byte) error) error
	// gather calls decode with what all ranks have passed as mine, likewise. A rank whose decode is
	// nil gets nothing.
	gather(mine []byte, decode func(from int, b []byte) error) error
	// broadcast returns on every rank what one of them has passed.
	broadcast(b []byte, from int) ([]byte, error)
}

// carrier is the mover of a node, for the calls of all tables, and of all types whose elements
// NewArray does not accept. When its arrays are too small, all ranks agree on a size and replace
// them.
type carrier struct {
	node    *fagus.Node
	all     *AllToAll[byte] // nil until a call uses it
	vectors *Vectors[byte]  // likewise
}

// It is not inlined, so that what a carrier consists of stays in this package.
//
//go:noinline
func moverOf(n *fagus.Node) mover {
	type key struct{}
	return n.Attached(key{}, func() any { return &carrier{node: n} }).(*carrier)
}

// codecOf returns the codec of a type, which a node makes once.
func codecOf[T any](n *fagus.Node) (codec.Codec[T], error) {
	type key struct{} // another one for each T
	type made struct {
		codec codec.Codec[T]
		err   error
	}
	m := n.Attached(key{}, func() any {
		c, err := codec.Of[T]()
		return made{c, err}
	}).(made)
	return m.codec, m.err
}

// agree returns a size for the largest need of all ranks.
func (c *carrier) agree(need int) (size int, err error) {
	const least = 1024 // bytes
	most, err := fagus.Reduce(c.node, need, func(a, b int) int { return max(a, b) })
	return 1 << bits.Len(uint(max(most, least)-1)), err
}

func (c *carrier) exchange(encode func(int) ([]byte, error), decode func(int, []byte) error) (err error) {
	me, need := c.node.Rank(), 0
	encoded := make([][]byte, c.node.Nodes())
	for r := range encoded {
		if r == me {
			continue
		}
		if encoded[r], err = encode(r); err != nil {
			return err
		}
		need = max(need, len(encoded[r]))
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
	if err := c.all.Exchange(
		func(to [][]byte) { copy(to, encoded) },
		func(from [][]byte) { wrong = decodeAll(from, decode) }); err != nil {
		return err
	}
	return wrong
}

// decodeAll calls decode for what each rank has sent.
func decodeAll(from [][]byte, decode func(int, []byte) error) error {
	for r, b := range from {
		if err := decode(r, b); err != nil {
			return fmt.Errorf("from rank %d: %w", r, err)
		}
	}
	return nil
}

func (c *carrier) gather(mine []byte, decode func(int, []byte) error) error {
	size, err := c.agree(len(mine))
	if err != nil {
		return err
	}
	if c.vectors == nil || size > c.vectors.length {
		if c.vectors, err = NewVectors[byte](c.node, fmt.Sprintf("parts.gathered.%d", size), size); err != nil {
			return err
		}
	}
	if decode == nil {
		return c.vectors.Gather(mine, nil)
	}
	var wrong error
	if err := c.vectors.Gather(mine, func(from [][]byte) { wrong = decodeAll(from, decode) }); err != nil {
		return err
	}
	return wrong
}

func (c *carrier) broadcast(b []byte, from int) ([]byte, error) { return broadcast(c.node, b, from) }

// values encodes vectors of values that shared arrays cannot have as elements, and moves them.
type values[T any] struct {
	node  *fagus.Node
	mover mover
	codec codec.Codec[[]T]
}

// valuesOf returns nil if NewArray accepts elements of type T, and their number is limited.
func valuesOf[T any](n *fagus.Node, limit int) (*values[T], error) {
	one, err := codecOf[T](n)
	if err != nil || one.Flat() && limit > 0 {
		return nil, err
	}
	c, err := codecOf[[]T](n)
	return &values[T]{n, moverOf(n), c}, err
}

// exchange sends to[r] to rank r, and returns what the ranks have sent to this one. It returns this
// rank's own elements as they are.
func (v *values[T]) exchange(to [][]T) ([][]T, error) {
	from := make([][]T, len(to))
	from[v.node.Rank()] = to[v.node.Rank()]
	return from, v.mover.exchange(
		func(r int) ([]byte, error) {
			if len(to[r]) == 0 {
				return nil, nil
			}
			return v.codec.Append(nil, to[r])
		},
		func(r int, b []byte) (err error) {
			if len(b) > 0 {
				from[r], err = v.codec.DecodeAll(b)
			}
			return err
		})
}

// gather returns the vectors of all ranks, by rank, if they are wanted here.
func (v *values[T]) gather(x []T, wanted bool) ([][]T, error) {
	mine, err := v.codec.Append(nil, x)
	if err != nil {
		return nil, err
	}
	if !wanted {
		return nil, v.mover.gather(mine, nil)
	}
	from := make([][]T, v.node.Nodes())
	return from, v.mover.gather(mine, func(r int, b []byte) (err error) {
		from[r], err = v.codec.DecodeAll(b)
		return err
	})
}
