package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// words are three rows of words in every rank's LLCM, by which PUSHes are agreed
// on. A word is the bulk counterpart of a ring's flag.
//
//	grant    at the sender    the receiver says: push to this place
//	done     at the sender    its NIC says: that much has landed
//	notice   at the receiver  the sender says: that much has landed
//
// The number of a hop, not a rank, is the index. So their count does not grow
// with the number of nodes.
//
// A grant or notice carries the low bits of the phase, so that one of an earlier
// phase is not taken for news, unless the word has rested for exactly 2^24 phases;
// and the number of the message, because a cast that is too large for one goes in
// several.
//
//	grant    place 32 | reserved 2                     | message 6 | phase 24
//	notice   bytes 32 | message ends 1 | cast ends 1   | message 6 | phase 24
//
// The low bits come first.
type words struct {
	base  dimmnet.Offset
	count int // of each row
}

const (
	wordRows   = 3
	tagShift   = 34
	messageMax = 1<<6 - 1
)

// wordBytes is the size of three rows of count words.
func wordBytes(count int) int { return wordRows * count * dimmnet.WordBytes }

func (w words) at(row, i int) dimmnet.Offset {
	if i >= w.count {
		panic(fmt.Sprintf("phase: word %d of %d in row %d", i, w.count, row))
	}
	return w.base + dimmnet.Offset((row*w.count+i)*dimmnet.WordBytes)
}

func (w words) grant(i int) dimmnet.Offset  { return w.at(0, i) }
func (w words) done(i int) dimmnet.Offset   { return w.at(1, i) }
func (w words) notice(i int) dimmnet.Offset { return w.at(2, i) }

// tag marks the words of one message of a cast. It is never 0, as a word is that
// was never written.
func tag(phase uint64, message int) uint64 {
	return (phase&ringbuf.PhaseMask)<<6 | uint64(message%messageMax+1)
}

// encodeGrant says that a message may be pushed to place.
func encodeGrant(tag uint64, place dimmnet.Offset) uint64 { return tag<<tagShift | uint64(place) }

// decodeGrant reads a grant from the wire, if it is there. The n bytes that it
// grants must lie in memory.
func decodeGrant(word, tag uint64, n int, memory span) (place dimmnet.Offset, granted bool, err error) {
	if word>>tagShift != tag {
		return 0, false, nil
	}
	place = dimmnet.Offset(word)
	if word>>32&3 != 0 || place%dimmnet.WordBytes != 0 || !memory.contains(place, n) {
		return 0, false, fmt.Errorf("grants %d bytes at offset %d, with reserved bits %d", n, place, word>>32&3)
	}
	return place, true, nil
}

// notice says how far a message has come.
type notice struct {
	bytes int  // of the message that have landed, from its front
	ends  bool // that is all of the message
	last  bool // and no other message of the cast follows
}

func (n notice) encode(tag uint64) uint64 {
	w := tag<<tagShift | uint64(n.bytes)
	if n.ends {
		w |= 1 << 32
	}
	if n.last {
		w |= 1 << 33
	}
	return w
}

// decodeNotice reads a notice from the wire, if it is there.
func decodeNotice(word, tag uint64) (n notice, there bool) {
	return notice{bytes: int(word & 0xffffffff), ends: word>>32&1 == 1, last: word>>33&1 == 1}, word>>tagShift == tag
}

// span is a part of a rank's NIC memory.
type span struct {
	lo dimmnet.Offset
	n  int
}

func (s span) contains(off dimmnet.Offset, n int) bool {
	return off >= s.lo && n <= s.n && int(off-s.lo) <= s.n-n
}
