package mpi

import (
	"encoding/binary"
	"fmt"
)

// ControlBytes is the size of a control packet.
const ControlBytes = 32

// MaxBytes is the largest size of a message.
const MaxBytes = 1<<31 - 1

// Control is an encoded control packet, little endian:
//
//	 0  kind       1 byte; byte 1 is 0
//	 2  rank       2, of the sender in its communicator
//	 4  context    4
//	 8  tag        4
//	12  sender     4, a request of the side that sends the message
//	16  receiver   4, a request of the side that receives it
//	20  data       4, bytes of data that follow the packet
//	24  size       8, of the message; for an access to a window, the offset there
type Control [ControlBytes]byte

// Data returns the number of data bytes that follow the packet. The value is not checked.
func (c *Control) Data() int { return int(binary.LittleEndian.Uint32(c[20:])) }

// OfCall reports whether a call of the program sends the packet. All other packets are answers,
// which the progress engine sends and takes.
func (c *Control) OfCall() bool {
	switch kind(c[0]) {
	case clearToSend, finishSend, remoteWrite, windowReply, windowGrant, windowFlushed:
		return false
	}
	return true
}

type kind uint8

// The kinds; the first four are the paper's (docs/lab/papers.md, DIMMnet-2 and MPI, MPI on it).
const (
	eagerSend     kind = 1 + iota // the message follows the packet
	requestToSend                 // RTS: the message is too long to be sent at once
	clearToSend                   // CTS: the list of destinations follows the packet
	finishSend                    // FTS: all data has been written to the destinations
	remoteWrite                   // part of a write, on a link that carries writes in rings
	windowPut                     // the data to put follows
	windowGet                     // the tag is the number of bytes
	windowReply                   // the data that the get asked for follows
	windowAdd                     // the operands follow; tag: operation and element type
	windowFence                   // the epoch has ended
	windowLock                    // the tag is 1 if the lock is exclusive
	windowGrant
	windowUnlock
	windowFlushed // all accesses before the unlock are done
	kinds
)

type control struct {
	kind     kind
	rank     uint16
	context  uint32
	tag      uint32
	sender   uint32
	receiver uint32
	data     uint32
	size     uint64
}

func (c *control) encode() (b Control) {
	b[0] = byte(c.kind)
	binary.LittleEndian.PutUint16(b[2:], c.rank)
	binary.LittleEndian.PutUint32(b[4:], c.context)
	binary.LittleEndian.PutUint32(b[8:], c.tag)
	binary.LittleEndian.PutUint32(b[12:], c.sender)
	binary.LittleEndian.PutUint32(b[16:], c.receiver)
	binary.LittleEndian.PutUint32(b[20:], c.data)
	binary.LittleEndian.PutUint64(b[24:], c.size)
	return b
}

// decode decodes a control packet. The engine checks the fields against kind and state.
func decode(b *Control) (control, error) {
	c := control{
		kind:     kind(b[0]),
		rank:     binary.LittleEndian.Uint16(b[2:]),
		context:  binary.LittleEndian.Uint32(b[4:]),
		tag:      binary.LittleEndian.Uint32(b[8:]),
		sender:   binary.LittleEndian.Uint32(b[12:]),
		receiver: binary.LittleEndian.Uint32(b[16:]),
		data:     binary.LittleEndian.Uint32(b[20:]),
		size:     binary.LittleEndian.Uint64(b[24:]),
	}
	switch {
	case c.kind == 0 || c.kind >= kinds || b[1] != 0:
		return c, fmt.Errorf("control packet starts with bytes %d, %d: want a kind from 1 to %d, and 0", b[0], b[1], kinds-1)
	case c.size > MaxBytes:
		return c, fmt.Errorf("control packet of kind %d: size %d, want at most %d", c.kind, c.size, MaxBytes)
	}
	return c, nil
}

// Destination is a memory range at the receiver. The sender writes a part of the message there.
type Destination struct {
	Address uint64 // its meaning is private to the Link
	Size    int    // in bytes
}

const destinationBytes = 16

func encodeDestinations(to []Destination) []byte {
	b := make([]byte, 0, len(to)*destinationBytes)
	for _, d := range to {
		b = binary.LittleEndian.AppendUint64(b, d.Address)
		b = binary.LittleEndian.AppendUint64(b, uint64(d.Size))
	}
	return b
}

// decodeDestinations decodes a CTS's data: destinations of at most limit bytes together.
func decodeDestinations(b []byte, limit int) (to []Destination, sum int, err error) {
	if len(b)%destinationBytes != 0 {
		return nil, 0, fmt.Errorf("list of destinations has %d bytes: want a multiple of %d", len(b), destinationBytes)
	}
	for ; len(b) > 0; b = b[destinationBytes:] {
		size := binary.LittleEndian.Uint64(b[8:])
		if size == 0 || size > uint64(limit-sum) {
			return nil, 0, fmt.Errorf("destination of %d bytes after %d bytes: want at least 1, and at most %d in all", size, sum, limit)
		}
		to = append(to, Destination{binary.LittleEndian.Uint64(b), int(size)})
		sum += int(size)
	}
	return to, sum, nil
}
