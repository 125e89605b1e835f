package parts

import (
	"fmt"
	"iter"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts/codec"
)

// List is a sequence of values in shared memory, which one sync variable guards. The values may be
// of any type that package codec encodes, and of any size: strings, slices, maps, and structs with
// them. A rank reads and changes the list while it holds the variable, as it does with the elements
// of an array:
//
//	names, err := parts.NewList[string](n, "names", 1<<20)
//	err = n.During(n.Set(names.Write()), func() error { return names.Append(name) })
//	_ = n.Fence()
//	err = n.During(n.Set(names.Read()), func() error {
//		for name, err := range names.All() {
//			...
//		}
//	})
//
// At and All return copies: to change a value, Set it. Only the bytes that a tenure changes move to
// the next rank. Without the variable Append, Set and Truncate return an error, and Config.Check
// finds reads.
//
// A value takes its encoded bytes and 8 more. For a struct with a string and a slice of strings on
// a slow machine Append, Set and At take 1.2 to 1.7 us, and Append 0.6 us for each of many values
// at a time; a copy of it in a plain slice takes 0.35 us, and gob 2.4 us for every value at each
// change of one (go test ./fagus/parts -run - -bench BenchmarkList). Checkpoints save all bytes of
// the room.
type List[T any] struct {
	node  *fagus.Node
	name  string
	bytes *fagus.Array[byte]
	begin int // of the list in bytes
	guard *fagus.SyncVar
	codec codec.Codec[T]
	heap  heap
	// encoded has the values of an Append, one after the other, and ends where each ends.
	encoded []byte
	ends    []int
}

// NewList makes an empty list with the given room in bytes. It is collective. Room that is not used
// costs addresses, but no memory or time.
func NewList[T any](n *fagus.Node, name string, room int) (*List[T], error) {
	c, err := codecOf[T](n)
	if err != nil {
		return nil, fmt.Errorf("parts: list %q: %w", name, err)
	}
	if room < 1 || room > mostRoom {
		return nil, fmt.Errorf("parts: list %q with room for %d bytes: want 1 to %d: more data need several lists (NewLists)", name, room, mostRoom)
	}
	g := fagus.NewGuarded[byte](n, name, headBytes+room)
	if err := n.Err(); err != nil {
		return nil, err
	}
	return newList(n, name, c, g.Array, g.Var, 0, headBytes+room), nil
}

// NewLists makes so many lists, each with a variable of its own: ranks change different ones at the
// same time. It is collective, and otherwise like NewList. A map from numbers to strings, for
// example, is a list for each block of numbers. If a run is to resume from checkpoints on another
// number of ranks, count must not depend on that number.
func NewLists[T any](n *fagus.Node, name string, count, room int) ([]*List[T], error) {
	c, err := codecOf[T](n)
	if err != nil {
		return nil, fmt.Errorf("parts: lists %q: %w", name, err)
	}
	if count < 1 || room < 1 || room > mostRoom {
		return nil, fmt.Errorf("parts: %d lists %q with room for %d bytes each: want at least 1 list, and 1 to %d bytes", count, name, room, mostRoom)
	}
	size := (headBytes + room + wordBytes - 1) / wordBytes * wordBytes
	all, err := fagus.NewArray[byte](n, name, count*size)
	if err != nil {
		return nil, err
	}
	lists := make([]*List[T], count)
	for i := range lists {
		own := fmt.Sprintf("%s.%d", name, i)
		guard, err := n.Bind(own, all.Range(i*size, (i+1)*size))
		if err != nil {
			return nil, err
		}
		lists[i] = newList(n, own, c, all, guard, i*size, size)
	}
	return lists, nil
}

func newList[T any](n *fagus.Node, name string, c codec.Codec[T], all *fagus.Array[byte], guard *fagus.SyncVar, begin, size int) *List[T] {
	return &List[T]{node: n, name: name, bytes: all, begin: begin, guard: guard, codec: c, heap: heap(all.Part(begin, begin+size))}
}

// Read returns a request for shared access to the list.
func (l *List[T]) Read() fagus.Request { return l.guard.Read() }

// Write returns a request for exclusive access to the list. The list reports what it writes.
func (l *List[T]) Write() fagus.Request { return l.guard.Write().Reporting() }

// Len returns the number of values. It is 0 if the memory is damaged; At and All say so.
func (l *List[T]) Len() int {
	h, err := l.heap.head()
	if err != nil {
		return 0
	}
	return h.count
}

// At returns a copy of value i.
func (l *List[T]) At(i int) (v T, err error) {
	b, err := l.heap.at(i)
	if err == nil {
		v, err = l.codec.DecodeAll(b)
	}
	if err != nil {
		return v, fmt.Errorf("parts: list %q: value %d: %w", l.name, i, err)
	}
	return v, nil
}

// All returns an iterator over copies of all values, in order. It ends after the first error.
func (l *List[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		h, err := l.heap.head()
		if err != nil {
			var none T
			yield(none, fmt.Errorf("parts: list %q: %w", l.name, err))
			return
		}
		for i := range h.count {
			if v, err := l.At(i); !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Append adds values at the end: all of them or, with an error, none.
func (l *List[T]) Append(values ...T) (err error) {
	l.encoded, l.ends = l.encoded[:0], l.ends[:0]
	for _, v := range values {
		if l.encoded, err = l.codec.Append(l.encoded, v); err != nil {
			return fmt.Errorf("parts: list %q: %w", l.name, err)
		}
		l.ends = append(l.ends, len(l.encoded))
	}
	h, err := l.heap.head()
	if err == nil {
		h, err = l.makeRoom(h, -1, len(l.encoded)+entryBytes*len(values))
	}
	if err != nil {
		return fmt.Errorf("parts: list %q: Append: %w", l.name, err)
	}
	next := h
	next.count += len(values)
	next.used += len(l.encoded)
	next.live += len(l.encoded)
	low := len(l.heap) - next.used
	if err := l.wrote(0, headBytes, entry(h.count), entry(next.count), low, low+len(l.encoded)); err != nil {
		return err
	}
	begin := 0
	for i, end := range l.ends {
		l.heap.setEntry(h.count+i, low+begin, end-begin)
		begin = end
	}
	copy(l.heap[low:], l.encoded)
	l.heap.setHead(next)
	return nil
}

// Set replaces value i.
func (l *List[T]) Set(i int, v T) (err error) {
	if l.encoded, err = l.codec.Append(l.encoded[:0], v); err != nil {
		return fmt.Errorf("parts: list %q: %w", l.name, err)
	}
	size := len(l.encoded)
	old, err := l.heap.at(i)
	if err != nil {
		return fmt.Errorf("parts: list %q: Set of value %d: %w", l.name, i, err)
	}
	h, _ := l.heap.head()
	at, _ := l.heap.entry(i)
	length := len(old)
	if size > length {
		if h, err = l.makeRoom(h, i, size); err != nil {
			return fmt.Errorf("parts: list %q: Set of value %d: %w", l.name, i, err)
		}
		_, length = l.heap.entry(i) // 0 if the values were moved together
		h.used += size
		at = len(l.heap) - h.used
	}
	if h.live += size - length; size == length {
		err = l.wrote(at, at+size)
	} else {
		err = l.wrote(0, headBytes, entry(i), entry(i+1), at, at+size)
	}
	if err != nil {
		return err
	}
	if copy(l.heap[at:], l.encoded); size != length {
		l.heap.setEntry(i, at, size)
		l.heap.setHead(h)
	}
	return nil
}

// Truncate removes all values but the first length ones.
func (l *List[T]) Truncate(length int) error {
	h, err := l.heap.head()
	if err == nil && (length < 0 || length > h.count) {
		err = fmt.Errorf("%d values: want 0 to %d, as many as there are", length, h.count)
	}
	for i := length; err == nil && i < h.count; i++ {
		var b []byte
		b, err = l.heap.at(i)
		h.live -= len(b)
	}
	if err != nil {
		return fmt.Errorf("parts: list %q: Truncate: %w", l.name, err)
	}
	if h.count = length; length == 0 {
		h = head{}
	}
	if err := l.wrote(0, headBytes); err != nil {
		return err
	}
	l.heap.setHead(h)
	return nil
}

// makeRoom returns the head of the list when it has room for so many bytes more. If necessary it
// moves all values together, without value i, which is to be replaced (-1: none).
func (l *List[T]) makeRoom(h head, i, bytes int) (head, error) {
	if free := len(l.heap) - entry(h.count) - h.used; bytes <= free {
		return h, nil
	}
	live := h.live
	if i >= 0 {
		_, length := l.heap.entry(i)
		live -= length
	}
	if free := len(l.heap) - entry(h.count) - live; bytes > free {
		return h, fmt.Errorf("no room for %d bytes more: %d of %d bytes are in use. Nothing has changed. Make the list with more room, which costs no memory until it is used", bytes, len(l.heap)-free, len(l.heap))
	}
	together, lengths, err := l.heap.together(h, i)
	if err != nil {
		return h, err
	}
	low := len(l.heap) - len(together)
	if low-entry(h.count) < bytes {
		return h, fmt.Errorf("its memory is damaged: the values have more than the %d bytes that are alive", live)
	}
	if err := l.wrote(0, entry(h.count), low, len(l.heap)); err != nil {
		return h, err
	}
	copy(l.heap[low:], together)
	for j, length := range lengths {
		l.heap.setEntry(j, low, length)
		low += length
	}
	h.used, h.live = len(together), len(together)
	l.heap.setHead(h)
	return h, nil
}

// wrote reports that ranges of the list are about to be written: lo, hi, and so on.
func (l *List[T]) wrote(bounds ...int) error {
	var ranges [3]fagus.Range
	all := ranges[:0]
	for i := 0; i < len(bounds); i += 2 {
		if lo, hi := bounds[i], bounds[i+1]; lo < hi {
			all = append(all, l.bytes.Range(l.begin+lo, l.begin+hi))
		}
	}
	if err := l.node.Wrote(all...); err != nil {
		return fmt.Errorf("parts: list %q: it is changed in a tenure of a set with its Write: %w", l.name, err)
	}
	return nil
}
