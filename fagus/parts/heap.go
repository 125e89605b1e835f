package parts

import (
	"encoding/binary"
	"fmt"
	"math"
)

// heap is the memory of a list. It begins with a head and an entry for each value, which has the
// place and the length of the value's bytes. These bytes are at the end of the memory, and grow
// downward. Places are offsets, so that every rank has them anywhere in memory. Memory that is all
// 0 is an empty list.
//
// The memory may come from a damaged checkpoint, or be read without its variable: so every place
// is checked before it is used.
type heap []byte

// head says what a list has.
type head struct {
	count int // values
	used  int // bytes at the end of the memory
	live  int // those of them that belong to values; others are of values that were replaced
}

const (
	headBytes  = 3 * wordBytes
	entryBytes = 8 // a place and a length
	mostRoom   = math.MaxUint32 - headBytes
)

// entry returns where the entry of value i begins.
func entry(i int) int { return headBytes + i*entryBytes }

func (h heap) head() (head, error) {
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(h[i*wordBytes:]) }
	count, used, live := word(0), word(1), word(2)
	size := uint64(len(h) - headBytes)
	if count > size/entryBytes || used > size-count*entryBytes || live > used {
		return head{}, fmt.Errorf("its memory is damaged: %d values, %d bytes used and %d alive of %d; was it read without its variable? (--check says so)", count, used, live, len(h))
	}
	return head{int(count), int(used), int(live)}, nil
}

func (h heap) setHead(x head) {
	for i, word := range []int{x.count, x.used, x.live} {
		binary.NativeEndian.PutUint64(h[i*wordBytes:], uint64(word))
	}
}

// entry returns the place and the length of value i, which may be wrong.
func (h heap) entry(i int) (at, length int) {
	e := h[entry(i):]
	return int(binary.NativeEndian.Uint32(e)), int(binary.NativeEndian.Uint32(e[4:]))
}

func (h heap) setEntry(i, at, length int) {
	e := h[entry(i):]
	binary.NativeEndian.PutUint32(e, uint32(at))
	binary.NativeEndian.PutUint32(e[4:], uint32(length))
}

// at returns the bytes of value i.
func (h heap) at(i int) ([]byte, error) {
	x, err := h.head()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= x.count {
		return nil, fmt.Errorf("the list has %d values", x.count)
	}
	at, length := h.entry(i)
	if at < len(h)-x.used || length > len(h)-at {
		return nil, fmt.Errorf("its memory is damaged: %d bytes at %d, of %d bytes in the last %d; was it read without its variable? (--check says so)", length, at, len(h), x.used)
	}
	return h[at : at+length : at+length], nil
}

// together returns the bytes of all values, in order, and their lengths, as if value without were
// empty.
func (h heap) together(x head, without int) (all []byte, lengths []int, err error) {
	all, lengths = make([]byte, 0, x.live), make([]int, x.count)
	for i := range x.count {
		if i == without {
			continue
		}
		b, err := h.at(i)
		if err != nil {
			return nil, nil, err
		}
		if len(all)+len(b) > x.live {
			return nil, nil, fmt.Errorf("its memory is damaged: the values have more than the %d bytes that are alive", x.live)
		}
		all = append(all, b...)
		lengths[i] = len(b)
	}
	return all, lengths, nil
}
