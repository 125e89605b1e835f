package collective

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// format is how a value travels.
type format uint8

const (
	flagged format = iota // 4 bytes and the count in one word
	halved                // an 8-byte integer alone; it is polled by half of its word
	bare                  // a float64 alone
	formats
)

// alone says whether a value fills its word: the word is empty before.
func (f format) alone() bool { return f != flagged }

// emptyNaN are the bits of the float64 that is never sent: on the wire it would
// be 0, an empty slot. Its payload reads "FAGUS2".
const emptyNaN = 0x7ff8_4641_4755_5332

// escapedHalf is the low half on the wire of an integer that stands in the
// member's spare word: one whose low half would be this or 0.
const escapedHalf = 1

// plainNaN is sent in its place.
const plainNaN = 0x7ff8_0000_0000_0001

// slot is the one of a place that a call uses.
func slot(at dimmnet.Offset, count uint64) dimmnet.Offset {
	return at + dimmnet.Offset(count%2*dimmnet.WordBytes)
}

// spare is the word behind the slots of a halved place.
func spare(at dimmnet.Offset) dimmnet.Offset { return at + 2*dimmnet.WordBytes }

// pack appends the posts that bring v to the place at.
func (f format) pack(posts []post, at dimmnet.Offset, v, count uint64) []post {
	if f == flagged {
		return append(posts, post{at, v | count<<32, 8})
	}
	wire := v ^ emptyNaN
	if f == halved && uint32(wire) <= escapedHalf {
		// The slot goes last: its landing proves that the value landed.
		return append(posts, post{spare(at), v, 8}, post{slot(at, count), escapedHalf, 8})
	}
	return append(posts, post{slot(at, count), wire, 8})
}

// poll looks once whether the value of from has come to the place at.
func (f format) poll(p dimmnet.Port, from dimmnet.Rank, at dimmnet.Offset, count uint64) (v uint64, come bool, err error) {
	switch f {
	case flagged:
		word := p.Load(at)
		come, err = landed(from, uint32(word>>32), uint32(count))
		return uint64(uint32(word)), come, err
	case halved:
		var half [4]byte
		p.Read(half[:], slot(at, count))
		switch low := binary.LittleEndian.Uint32(half[:]); low {
		case 0:
			return 0, false, nil
		case escapedHalf:
			return p.Load(spare(at)), true, nil
		default:
			return p.Load(slot(at, count)) ^ emptyNaN, true, nil
		}
	}
	word := p.Load(slot(at, count))
	return word ^ emptyNaN, word != 0, nil
}
