package random

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// op is what an entry records.
type op uint8

const (
	beganShared op = 1 + iota // Acquire has returned
	beganExclusive
	endedShared // Release is next
	endedExclusive
	updated // Update has returned
	looked  // the rank does not hold the variable
)

func (o op) String() string {
	switch o {
	case beganShared:
		return "acquired shared"
	case beganExclusive:
		return "acquired exclusively"
	case endedShared:
		return "held shared"
	case endedExclusive:
		return "written"
	case updated:
		return "updated"
	case looked:
		return "seen"
	}
	return fmt.Sprintf("op %d", uint8(o))
}

// ends returns what a rank records at the two ends of a tenure.
func ends(exclusive bool) (began, ended op) {
	if exclusive {
		return beganExclusive, endedExclusive
	}
	return beganShared, endedShared
}

// place is a tenure of a rank in the program. The round of the tenures after all rounds is
// Config.Rounds.
type place struct{ round, tenure int }

// entry is a content that a rank saw.
type entry struct {
	op       op
	variable int
	place    place
	at       int64 // Clock.now
	sum      uint64
}

func (s *state) record(o op, v int, at place) {
	s.log = append(s.log, entry{o, v, at, s.Clock.now(), sum(s.content(v))})
}

// private reports whether the rank has copies of its own, so that it may read what it does not
// hold. A rank whose writes must be detected has copies of its own.
func (s *state) private() bool {
	w := s.node.Stats().Writes
	return w.Declared+w.Twin+w.Kept+w.Kernel > 0
}

// A log is a number of entries (4 bytes) and its entries, little endian:
//
//	0 op   1 tenure   2 round (2)   4 variable (4)   8 at   16 sum
const (
	headBytes  = 4
	entryBytes = 24
)

func encode(log []entry) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(log)))
	for _, e := range log {
		b = append(b, byte(e.op), byte(e.place.tenure))
		b = binary.LittleEndian.AppendUint16(b, uint16(e.place.round))
		b = binary.LittleEndian.AppendUint32(b, uint32(e.variable))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.at))
		b = binary.LittleEndian.AppendUint64(b, e.sum)
	}
	return b
}

// decode decodes a log, which zeros may follow.
func decode(b []byte) (log []entry, err error) {
	if len(b) < headBytes {
		return nil, errors.New("it has no head")
	}
	count := int(binary.LittleEndian.Uint32(b))
	if len(b) < headBytes+count*entryBytes {
		return nil, fmt.Errorf("%d entries in %d bytes", count, len(b))
	}
	for b = b[headBytes:]; count > 0; count-- {
		log = append(log, entry{
			op: op(b[0]), place: place{int(binary.LittleEndian.Uint16(b[2:])), int(b[1])}, variable: int(binary.LittleEndian.Uint32(b[4:])),
			at: int64(binary.LittleEndian.Uint64(b[8:])), sum: binary.LittleEndian.Uint64(b[16:]),
		})
		b = b[entryBytes:]
	}
	return log, nil
}
