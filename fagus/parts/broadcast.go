package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Broadcast returns on every rank a copy of the vector x of rank from, for example of data that
// this rank read from a file. All ranks pass the same from. The vectors x of other ranks are
// ignored, and may be nil. T is a type that NewArray accepts, or any other one that package codec
// encodes, such as string. A single value v is []T{v}.
//
//	lines, err := parts.Broadcast(n, lines, 0)
//
// Broadcast is collective, and the rank must hold no variable. It makes an array, whose memory
// stays allocated until the end of the run, and takes three phases in phase mode.
func Broadcast[T any](n *fagus.Node, x []T, from int) ([]T, error) {
	if from < 0 || from >= n.Nodes() {
		return nil, fmt.Errorf("parts: Broadcast from rank %d: want a rank from 0 to %d", from, n.Nodes()-1)
	}
	v, err := valuesOf[T](n, 1)
	if err != nil {
		return nil, fmt.Errorf("parts: Broadcast: %w", err)
	}
	if v == nil {
		return broadcast(n, x, from)
	}
	var b []byte
	if n.Rank() == from {
		if b, err = v.codec.Append(nil, x); err != nil {
			return nil, fmt.Errorf("parts: Broadcast: %w", err)
		}
	}
	if b, err = v.mover.broadcast(b, from); err != nil {
		return nil, err
	}
	return v.codec.DecodeAll(b)
}

// broadcast is Broadcast of elements that NewArray accepts.
func broadcast[T any](n *fagus.Node, x []T, from int) ([]T, error) {
	lengths, err := fagus.Gather(n, len(x))
	if err != nil || lengths[from] == 0 {
		return nil, err
	}
	all := fagus.NewGuarded[T](n, fmt.Sprintf("broadcast.%d", n.Arrays()), lengths[from])
	all.Scratch()
	write := n.Set()
	if n.Rank() == from {
		write = n.Set(all.Write().Writing(all.All()))
	}
	write.Do(func() {
		if n.Rank() == from {
			copy(all.Slice(), x)
		}
	})
	n.Fence()
	var copied []T
	n.Set(all.Read()).Do(func() { copied = all.Copy() })
	return copied, n.Err()
}
