package collective

import "github.com/fagus-dsm/fagus/dimmnet"

// format is how a value travels.
type format uint8

const (
	flagged format = iota // 4 bytes and the count in one word
	paired                // 8 bytes, then the count in the next word
	bare                  // a float64 alone; its word is empty before
	formats
)

// emptyNaN are the bits of the float64 that is never sent: on the wire it would
// be 0, an empty slot. Its payload reads "FAGUS2".
const emptyNaN = 0x7ff8_4641_4755_5332

// plainNaN is sent in its place.
const plainNaN = 0x7ff8_0000_0000_0001

// slot is the one of a bare place that a call uses.
func slot(at dimmnet.Offset, count uint64) dimmnet.Offset {
	return at + dimmnet.Offset(count%2*dimmnet.WordBytes)
}

// pack appends the posts that bring v to the place at.
func (f format) pack(posts []post, at dimmnet.Offset, v, count uint64) []post {
	switch f {
	case flagged:
		return append(posts, post{at, v | count<<32, 8})
	case paired: // The count goes last: its landing proves that the value landed.
		return append(posts, post{at, v, 8}, post{at + dimmnet.WordBytes, count, 8})
	}
	return append(posts, post{slot(at, count), v ^ emptyNaN, 8})
}

// poll looks once whether the value of from has come to the place at.
func (f format) poll(p dimmnet.Port, from dimmnet.Rank, at dimmnet.Offset, count uint64) (v uint64, come bool, err error) {
	switch f {
	case flagged:
		word := p.Load(at)
		come, err = landed(from, uint32(word>>32), uint32(count))
		return uint64(uint32(word)), come, err
	case paired:
		come, err = landed(from, p.Load(at+dimmnet.WordBytes), count)
		if come {
			v = p.Load(at)
		}
		return v, come, err
	}
	word := p.Load(slot(at, count))
	return word ^ emptyNaN, word != 0, nil
}
