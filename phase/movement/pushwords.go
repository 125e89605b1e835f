package movement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// PushWords are three rows of words in every rank's LLCM. They control PUSHes as the flags of a
// ring control slots.
//
//	row      lies at       is written by         holds
//	grant    the sender    the receiver          the offset to which the sender may push
//	done     the sender    the sender's NIC      how many bytes of a PUSH have landed
//	notice   the receiver  the sender            how many bytes of the message have landed
//
// The index is the number of a hop, not a rank, so the rows do not grow with the number of nodes.
//
// A grant or notice carries the low bits of the phase, so that an old word is not taken for a new
// one. The bits repeat after 2^24 phases. No word gets that old, because every rank empties its
// words once in clearPhases phases. A word also carries the number of the message, because a
// multicast that is too large for one message takes several.
//
//	grant    offset 32 | standing 1 | reserved 1       | message 6 | phase 24
//	notice   bytes 32 | message ends 1 | last 1        | message 6 | phase 24
//
// The low bits come first.
type PushWords struct {
	base  dimmnet.Offset
	count int // the number of words in a row
}

const (
	wordRows   = 3
	tagShift   = 34
	messageMax = 1<<6 - 1

	clearPhases = (ringbuf.PhaseMask + 1) / 2 // words are emptied every so many phases
)

// PlacePushWords places the words at the end of the LLCM, and reduces limits.LLCM by their size.
// They take one part in share of the LLCM, but each row has at least least words.
func PlacePushWords(limits *dimmnet.Limits, share, least int) PushWords {
	const word = wordRows * dimmnet.WordBytes // one of each row
	count := max(limits.LLCM/share/word, least)
	limits.LLCM = (limits.LLCM - count*word) &^ (dimmnet.WordBytes - 1)
	return PushWords{dimmnet.Offset(limits.LLCM), count}
}

// Count returns the number of words of a row.
func (w PushWords) Count() int { return w.count }

func (w PushWords) at(row, i int) dimmnet.Offset {
	if i >= w.count {
		panic(fmt.Sprintf("phase: word %d of %d in row %d", i, w.count, row))
	}
	return w.base + dimmnet.Offset((row*w.count+i)*dimmnet.WordBytes)
}

func (w PushWords) grant(i int) dimmnet.Offset  { return w.at(0, i) }
func (w PushWords) done(i int) dimmnet.Offset   { return w.at(1, i) }
func (w PushWords) notice(i int) dimmnet.Offset { return w.at(2, i) }

// tag returns the phase and message bits of a word. They are never all 0, unlike unwritten memory.
func tag(phase uint64, message int) uint64 {
	return (phase&ringbuf.PhaseMask)<<6 | uint64(message%messageMax+1)
}

// grant lets the sender push a message.
type grant struct {
	offset   dimmnet.Offset // where the message begins at the receiver
	standing bool           // the grant also holds in phases that repeat this one (standing.go)
}

func (g grant) encode(tag uint64) uint64 {
	w := tag<<tagShift | uint64(g.offset)
	if g.standing {
		w |= 1 << 32
	}
	return w
}

// decodeGrant decodes a grant from the wire. granted is false if word has another tag. The n
// granted bytes must lie in memory.
func decodeGrant(word, tag uint64, n int, memory span) (g grant, granted bool, err error) {
	if word>>tagShift != tag {
		return grant{}, false, nil
	}
	g = grant{offset: dimmnet.Offset(word), standing: word>>32&1 == 1}
	err = g.check(n, memory)
	if reserved := word >> 33 & 1; err == nil && reserved != 0 {
		err = fmt.Errorf("invalid grant: its reserved bit is %d", reserved)
	}
	return g, err == nil, err
}

// check returns an error unless n bytes from g.offset on lie in memory.
func (g grant) check(n int, memory span) error {
	if g.offset%dimmnet.WordBytes != 0 || !memory.contains(g.offset, n) {
		return fmt.Errorf("invalid grant of %d bytes at offset %d", n, g.offset)
	}
	return nil
}

// notice says how much of a message has landed.
type notice struct {
	bytes int  // from the front of the message
	ends  bool // the message ends after these bytes
	last  bool // the message ends, and no other message of the multicast follows
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

// decodeNotice decodes a notice from the wire. ok is false if word has another tag.
func decodeNotice(word, tag uint64) (n notice, ok bool) {
	return notice{bytes: int(word & 0xffffffff), ends: word>>32&1 == 1, last: word>>33&1 == 1}, word>>tagShift == tag
}

// span is n bytes of a rank's NIC memory, from offset lo on.
type span struct {
	lo dimmnet.Offset
	n  int
}

func (s span) contains(off dimmnet.Offset, n int) bool {
	return off >= s.lo && n <= s.n && int(off-s.lo) <= s.n-n
}
