package threaded

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// op says what a message is about; the package comment has the list.
type op uint8

const (
	request op = 1 + iota
	grant
	release
	arrive
	leave
	lastOp
)

// message is what the engines of two ranks say to each other. Fields that an op
// does not use are zero.
type message struct {
	op       op
	mode     syncvar.Mode // request
	call     syncvar.Call // arrive, leave
	flag     bool         // request: brief; grant: data follow
	rank     dimmnet.Rank // request: whose it is
	id       syncvar.ID
	declared uint32          // arrive, and request from its own rank: how many declarations that has made
	version  syncvar.Version // grant: of the tenure; request: of the rank's hint when it asked
	since    syncvar.Version // request: what the rank has; grant: the last that changed anything
	digest   uint64          // of those
	word     uint64          // arrive: what the rank gives in a Reduce
}

// messageBytes is the size of a message on the wire. It fits the smallest slot.
//
//	op 1 | mode 1 | call 1 | flag 1 | rank 2 | zero 2 | id 4 | declared 4
//	version, or word 8 | since 8 | digest 8
const messageBytes = 40

// append appends m's encoding, little endian, to b.
func (m message) append(b []byte) []byte {
	flag := byte(0)
	if m.flag {
		flag = 1
	}
	b = append(b, byte(m.op), byte(m.mode), byte(m.call), flag)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.rank))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.id))
	b = binary.LittleEndian.AppendUint32(b, m.declared)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.version)|m.word) // one of them is 0
	b = binary.LittleEndian.AppendUint64(b, uint64(m.since))
	return binary.LittleEndian.AppendUint64(b, m.digest)
}

// decode decodes a message from the wire of a run of nodes. An error does not name
// the sender.
func decode(b []byte, nodes int) (message, error) {
	if len(b) != messageBytes {
		return message{}, fmt.Errorf("a message of %d bytes", len(b))
	}
	rank := binary.LittleEndian.Uint32(b[4:])
	m := message{
		op:       op(b[0]),
		mode:     syncvar.Mode(b[1]),
		call:     syncvar.Call(b[2]),
		flag:     b[3] == 1,
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
		return message{}, fmt.Errorf("a message of kind %d", m.op)
	case b[3] > 1 || rank >= uint32(nodes) || m.id >= syncvar.MaxID:
		return message{}, fmt.Errorf("a message with flag %d, rank %d, variable %d", b[3], rank, m.id)
	case (m.op == request) != (m.mode == syncvar.Shared || m.mode == syncvar.Exclusive):
		return message{}, fmt.Errorf("a message of kind %d with %v", m.op, m.mode)
	case (m.op == arrive || m.op == leave) != (m.call >= syncvar.Update && m.call <= syncvar.Reduce):
		return message{}, fmt.Errorf("a message of kind %d with %v", m.op, m.call)
	case m.op == arrive && m.call != syncvar.Reduce && m.word != 0:
		return message{}, fmt.Errorf("a message that gives %#x in %v", m.word, m.call)
	}
	return m, nil
}
