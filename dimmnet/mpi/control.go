package mpi

import (
	"encoding/binary"
	"fmt"
)

// ControlBytes is the size of a control packet.
const ControlBytes = 32

// MaxBytes is the length of the longest message.
const MaxBytes = 1<<31 - 1

// Control is a control packet in bytes, little endian:
//
//	 0  kind       1 byte; byte 1 is 0
//	 2  rank       2, of the sender in its communicator
//	 4  context    4
//	 8  tag        4
//	12  sender     4, a request of the side that sends the message
//	16  receiver   4, a request of the side that receives it
//	20  data       4, how many bytes follow the packet in its ring
//	24  size       8, of the message; of what goes to a window: the offset there
type Control [ControlBytes]byte

// Data is how many bytes of data follow the packet in its ring. It comes from the wire:
// nobody has checked it.
func (c *Control) Data() int { return int(binary.LittleEndian.Uint32(c[20:])) }

// kind says what a control packet is for.
type kind uint8

// The kinds. The first four are the paper's.
const (
	eagerSend     kind = 1 + iota // the message follows
	requestToSend                 // the message is longer than that
	clearToSend                   // the destinations follow
	finishSend                    // all has been written to them
	remoteWrite                   // a piece of it, where rings carry it
	windowPut                     // the bytes follow
	windowGet                     // tag: how many bytes
	windowReply                   // the bytes follow
	windowAdd                     // the operands follow; tag: operation and type
	windowFence                   // the epoch is over
	windowLock                    // tag: 1 for exclusive
	windowGrant
	windowUnlock
	windowFlushed // all before the unlock is in the window
	kinds
)

// control is a control packet taken apart.
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

// decode takes a packet from the wire apart. Whether its fields fit its kind, and what
// the rank has, is for the engine to check.
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
		return c, fmt.Errorf("control packet of kind %d, %d", b[0], b[1])
	case c.size > MaxBytes:
		return c, fmt.Errorf("control packet of kind %d: size %d, at most %d", c.kind, c.size, MaxBytes)
	}
	return c, nil
}

// Destination is a place at the receiver to which the sender of a message writes a part of it.
type Destination struct {
	Address uint64 // what it means is the Link's own
	Size    int    // bytes
}

const destinationBytes = 16

// encodeDestinations is the data of a CTS.
func encodeDestinations(to []Destination) []byte {
	b := make([]byte, 0, len(to)*destinationBytes)
	for _, d := range to {
		b = binary.LittleEndian.AppendUint64(b, d.Address)
		b = binary.LittleEndian.AppendUint64(b, uint64(d.Size))
	}
	return b
}

// decodeDestinations takes the data of a CTS apart; together they hold no more than most bytes.
func decodeDestinations(b []byte, most int) (to []Destination, sum int, err error) {
	if len(b)%destinationBytes != 0 {
		return nil, 0, fmt.Errorf("destinations of %d bytes", len(b))
	}
	for ; len(b) > 0; b = b[destinationBytes:] {
		size := binary.LittleEndian.Uint64(b[8:])
		if size == 0 || size > uint64(most-sum) {
			return nil, 0, fmt.Errorf("destination of %d bytes behind %d of %d", size, sum, most)
		}
		to = append(to, Destination{binary.LittleEndian.Uint64(b), int(size)})
		sum += int(size)
	}
	return to, sum, nil
}
