package collective

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// format is the representation of a value in the LLCM.
type format uint8

const (
	flagged format = iota // 4 bytes and the count share a word
	halved                // an 8-byte integer without a count; Loads poll its low half
	bare                  // a float64 without a count
	formats
)

// alone reports whether the value fills its word. Such a word must be empty before a value lands.
func (f format) alone() bool { return f != flagged }

// emptyNaN is the bits of the one float64 that is never sent. On the wire it would be 0, which
// means an empty slot. Its payload reads "FAGUS2".
const emptyNaN = 0x7ff8_4641_4755_5332

// escapedHalf is the low half of a slot whose integer is in the spare word. An integer goes
// there if its own low half on the wire would be 0 or escapedHalf.
const escapedHalf = 1

// plainNaN is sent instead of emptyNaN.
const plainNaN = 0x7ff8_0000_0000_0001

func slot(off dimmnet.Offset, count uint64) dimmnet.Offset {
	return off + dimmnet.Offset(count%2*dimmnet.WordBytes)
}

// spare returns the word behind the slots of a halved entry.
func spare(off dimmnet.Offset) dimmnet.Offset { return off + 2*dimmnet.WordBytes }

func (f format) pack(posts []post, off dimmnet.Offset, v, count uint64) []post {
	if f == flagged {
		return append(posts, post{off, v | count<<32, 8})
	}
	wire := v ^ emptyNaN
	if f == halved && uint32(wire) <= escapedHalf {
		// The slot goes last: when it has landed, the value has landed.
		return append(posts, post{spare(off), v, 8}, post{slot(off, count), escapedHalf, 8})
	}
	return append(posts, post{slot(off, count), wire, 8})
}

// poll reads the entry at off once. arrived reports whether the value of rank from has landed.
func (f format) poll(p dimmnet.Port, from dimmnet.Rank, off dimmnet.Offset, count uint64) (v uint64, arrived bool, err error) {
	switch f {
	case flagged:
		word := p.Load(off)
		arrived, err = checkCount(from, uint32(word>>32), uint32(count))
		return uint64(uint32(word)), arrived, err
	case halved:
		var half [4]byte
		p.Read(half[:], slot(off, count))
		switch low := binary.LittleEndian.Uint32(half[:]); low {
		case 0:
			return 0, false, nil
		case escapedHalf:
			return p.Load(spare(off)), true, nil
		default:
			return p.Load(slot(off, count)) ^ emptyNaN, true, nil
		}
	}
	word := p.Load(slot(off, count))
	return word ^ emptyNaN, word != 0, nil
}
