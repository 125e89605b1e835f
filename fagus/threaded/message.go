package threaded

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// op is the kind of a message; the package comment lists them.
type op uint8

const (
	request op = 1 + iota
	grant
	release
	arrive
	leave
	pass
	lastOp
)

// message is a message from one engine to another. Fields that an op does not use are zero.
type message struct {
	op      op
	access  syncvar.Access // request
	call    syncvar.Call   // arrive, leave
	flag    bool           // request: brief; grant: data follow
	delayed bool           // request, grant, pass: the request has waited (syncvar.Want.Delayed)
	waits   bool           // request: it waits for a change (syncvar.Want.Waits)
	passed  bool           // grant: by a reader, for the owner
	// rank is, in a request and a pass, the rank that made the request; in a passed grant, the
	// owner; in arrive and leave, the rank that arrived last.
	rank     dimmnet.Rank
	id       syncvar.ID
	declared uint32          // arrive, sender's own request: the number of its declarations
	version  syncvar.Version // grant, pass: of the tenure; request: of the rank's hint
	since    syncvar.Version // request, pass: of the copy; grant: the last change, 0 if passed
	digest   uint64          // of the declarations
	word     uint64          // arrive: the rank's word in a Reduce, else 0
}

// messageBytes is the size of a message on the wire. It fits the smallest slot.
//
//	op 1 | access 1 | call 1 | flag 1 | rank 2 | zero 2 | id 4 | declared 4
//	version, or word 8 | since 8 | digest 8
const messageBytes = 40

// The bits of the byte flag.
const (
	flagBit = 1 << iota
	delayedBit
	passedBit
	waitsBit
)

// append appends the encoding of m, little endian, to b.
func (m message) append(b []byte) []byte {
	flag := byte(0)
	if m.flag {
		flag |= flagBit
	}
	if m.delayed {
		flag |= delayedBit
	}
	if m.passed {
		flag |= passedBit
	}
	if m.waits {
		flag |= waitsBit
	}
	b = append(b, byte(m.op), byte(m.access), byte(m.call), flag)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.rank))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.id))
	b = binary.LittleEndian.AppendUint32(b, m.declared)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.version)|m.word) // version or word is 0
	b = binary.LittleEndian.AppendUint64(b, uint64(m.since))
	return binary.LittleEndian.AppendUint64(b, m.digest)
}

// decode decodes a message from the wire; nodes is the number of ranks. An error does not name the
// sender.
func decode(b []byte, nodes int) (message, error) {
	if len(b) != messageBytes {
		return message{}, fmt.Errorf("a message of %d bytes, want %d", len(b), messageBytes)
	}
	rank := binary.LittleEndian.Uint32(b[4:])
	m := message{
		op:       op(b[0]),
		access:   syncvar.Access(b[1]),
		call:     syncvar.Call(b[2]),
		flag:     b[3]&flagBit != 0,
		delayed:  b[3]&delayedBit != 0,
		passed:   b[3]&passedBit != 0,
		waits:    b[3]&waitsBit != 0,
		rank:     dimmnet.Rank(rank),
		id:       syncvar.ID(binary.LittleEndian.Uint32(b[8:])),
		declared: binary.LittleEndian.Uint32(b[12:]),
		version:  syncvar.Version(binary.LittleEndian.Uint64(b[16:])),
		since:    syncvar.Version(binary.LittleEndian.Uint64(b[24:])),
		digest:   binary.LittleEndian.Uint64(b[32:]),
	}
	if m.op == arrive {
		m.version, m.word = 0, uint64(m.version)
	}
	switch {
	case m.op == 0 || m.op >= lastOp:
		return message{}, fmt.Errorf("a message of unknown kind %d", m.op)
	case b[3] >= waitsBit<<1 || m.delayed && m.op != request && m.op != grant && m.op != pass || m.passed && (m.op != grant || !m.flag) || m.waits && m.op != request || rank >= uint32(nodes) || m.id >= syncvar.MaxID:
		return message{}, fmt.Errorf("a message with flag %d, rank %d, variable %d", b[3], rank, m.id)
	case (m.op == request) != (m.access == syncvar.Shared || m.access == syncvar.Exclusive):
		return message{}, fmt.Errorf("a message of kind %d with %v", m.op, m.access)
	case (m.op == arrive || m.op == leave) != (m.call >= syncvar.Update && m.call <= syncvar.Fence):
		return message{}, fmt.Errorf("a message of kind %d with %v", m.op, m.call)
	case m.op == arrive && m.call != syncvar.Reduce && m.word != 0:
		return message{}, fmt.Errorf("a message that contributes %#x to %v", m.word, m.call)
	}
	return m, nil
}
