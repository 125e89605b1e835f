package parts

import (
	"math/bits"
	"reflect"
	"strconv"

	"github.com/fagus-dsm/fagus/fagus"
)

// carrier moves the entries of a table between ranks.
type carrier[K comparable, V any] interface {
	// exchange sends to[r] to rank r, and returns the entries that the ranks sent to this one.
	exchange(to [][]Entry[K, V]) (from [][]Entry[K, V], err error)
	// gather returns the entries of all ranks, or nothing if they are not wanted here.
	gather(mine []Entry[K, V], wanted bool) (all []Entry[K, V], err error)
	// encode returns entries as bytes, and decode returns the entries.
	encode(entries []Entry[K, V]) []byte
	decode(b []byte) []Entry[K, V]
}

// carrierOf moves entries as elements of type C in shared arrays. When the arrays are too small,
// all ranks agree on a size and replace them.
type carrierOf[C any, K comparable, V any] struct {
	node    *fagus.Node
	name    string
	pack    func(to []C, e Entry[K, V]) []C // appends an entry
	unpack  func(from []C) []Entry[K, V]
	all     *AllToAll[C]
	vectors *Vectors[C]
}

func newCarrierOf[C any, K comparable, V any](n *fagus.Node, name string, pack func([]C, Entry[K, V]) []C, unpack func([]C) []Entry[K, V]) (carrier[K, V], error) {
	const first = 64 // elements; more than a small table needs
	c := &carrierOf[C, K, V]{node: n, name: name, pack: pack, unpack: unpack}
	var err error
	if c.all, err = NewAllToAll[C](n, name, first); err != nil {
		return nil, err
	}
	c.vectors, err = NewVectors[C](n, name+".all", first)
	return c, err
}

// agree returns the largest need of all ranks, rounded up to a power of two.
func (c *carrierOf[C, K, V]) agree(need int) (size int, err error) {
	most, err := fagus.Reduce(c.node, need, func(a, b int) int { return max(a, b) })
	return 1 << bits.Len(uint(max(most, 1)-1)), err
}

func (c *carrierOf[C, K, V]) exchange(to [][]Entry[K, V]) (from [][]Entry[K, V], err error) {
	me, need := c.node.Rank(), 0
	packed := make([][]C, len(to))
	for r, entries := range to {
		if r != me {
			packed[r] = c.packed(entries)
			need = max(need, len(packed[r]))
		}
	}
	size, err := c.agree(need)
	if err != nil {
		return nil, err
	}
	if size > c.all.capacity {
		if c.all, err = NewAllToAll[C](c.node, c.name+"."+strconv.Itoa(size), size); err != nil {
			return nil, err
		}
	}
	from = make([][]Entry[K, V], len(to))
	err = c.all.Exchange(
		func(to [][]C) { copy(to, packed) },
		func(elements [][]C) {
			for r := range from {
				from[r] = c.unpack(elements[r])
			}
		})
	from[me] = to[me]
	return from, err
}

func (c *carrierOf[C, K, V]) gather(mine []Entry[K, V], wanted bool) (all []Entry[K, V], err error) {
	packed := c.packed(mine)
	size, err := c.agree(len(packed))
	if err != nil {
		return nil, err
	}
	if size > c.vectors.length {
		if c.vectors, err = NewVectors[C](c.node, c.name+".all."+strconv.Itoa(size), size); err != nil {
			return nil, err
		}
	}
	var read func([][]C)
	if wanted {
		read = func(from [][]C) {
			for _, elements := range from {
				all = append(all, c.unpack(elements)...)
			}
		}
	}
	err = c.vectors.Gather(packed, read)
	return all, err
}

func (c *carrierOf[C, K, V]) encode(entries []Entry[K, V]) []byte { return bytesOf(c.packed(entries)) }

func (c *carrierOf[C, K, V]) decode(b []byte) []Entry[K, V] {
	elements := make([]C, len(b)/len(bytesOf(make([]C, 1))))
	copy(bytesOf(elements), b)
	return c.unpack(elements)
}

func (c *carrierOf[C, K, V]) packed(entries []Entry[K, V]) (elements []C) {
	for _, e := range entries {
		elements = c.pack(elements, e)
	}
	return elements
}

// text is a part of an entry whose key is a string. A long key takes several parts in a row.
type text[V any] struct {
	Value  V
	Length int64 // the length of the whole key in bytes; only the first part has Value and Length
	Part   [16]byte
}

func packText[K comparable, V any](to []text[V], e Entry[K, V]) []text[V] {
	key := reflect.ValueOf(e.Key).String()
	first := text[V]{Value: e.Value, Length: int64(len(key))}
	key = key[copy(first.Part[:], key):]
	for to = append(to, first); key != ""; {
		var more text[V]
		key = key[copy(more.Part[:], key):]
		to = append(to, more)
	}
	return to
}

func unpackText[K comparable, V any](from []text[V]) (entries []Entry[K, V]) {
	for len(from) > 0 {
		first, key := from[0], []byte(nil)
		for more := true; more; more = len(key) < int(first.Length) {
			key = append(key, from[0].Part[:min(len(from[0].Part), int(first.Length)-len(key))]...)
			from = from[1:]
		}
		e := Entry[K, V]{Value: first.Value}
		reflect.ValueOf(&e.Key).Elem().SetString(string(key))
		entries = append(entries, e)
	}
	return entries
}
