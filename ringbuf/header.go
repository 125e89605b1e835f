package ringbuf

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Kind is the kind of a slot's contents.
type Kind uint8

// The kinds.
const (
	List      Kind = 1 + iota // a part of an acquire list; Addr is the offset of the part
	Data                      // a piece of a variable; Addr is the address of the piece
	Control                   // a message of the threaded engine
	Locations                 // addresses and lengths of pieces that travel outside of the ring
	lastKind
)

// Limits of the header's fields.
const (
	PhaseMask = 1<<24 - 1 // a header carries the low bits of the phase number
	MaxAge    = 1<<16 - 1
	maxAddr   = 1 << 48
)

// Header is the 16-byte Fagus header of a slot.
//
//	word 0   kind 4 | last 4 | sender 16 | length 16 | phase 24
//	word 1   address 48 | age 16
//
// The low bits come first.
type Header struct {
	Kind   Kind
	Last   bool         // the last slot of its list or variable
	Sender dimmnet.Rank // the rank that wrote the slot
	Len    int          // bytes of data, 0 to MaxSlotBytes
	Phase  uint32       // the low 24 bits of the phase in which the slot is sent
	Addr   uint64       // below 2^48
	Age    uint16       // how many versions ago the data were written, at most MaxAge
}

// Encode packs h into two words.
func (h Header) Encode() (w0, w1 uint64) {
	if h.Len < 0 || h.Len > MaxSlotBytes || h.Addr >= maxAddr || h.Phase > PhaseMask {
		panic(fmt.Sprintf("ringbuf: header with length %d, address %#x, phase %d", h.Len, h.Addr, h.Phase))
	}
	w0 = uint64(h.Kind) | uint64(h.Sender)<<8 | uint64(h.Len)<<24 | uint64(h.Phase)<<40
	if h.Last {
		w0 |= 1 << 4
	}
	return w0, h.Addr | uint64(h.Age)<<48
}

// Decode unpacks a header that peer has sent. It fails if the header names another sender, is
// malformed, or has more than slotBytes of data.
func Decode(w0, w1 uint64, peer dimmnet.Rank, slotBytes int) (Header, error) {
	h := Header{
		Kind:   Kind(w0 & 15),
		Last:   w0>>4&1 == 1,
		Sender: dimmnet.Rank(w0 >> 8),
		Len:    int(w0 >> 24 & 0xffff),
		Phase:  uint32(w0 >> 40),
		Addr:   w1 & (maxAddr - 1),
		Age:    uint16(w1 >> 48),
	}
	switch {
	case h.Kind == 0 || h.Kind >= lastKind:
		return Header{}, fmt.Errorf("ringbuf: header from rank %d: unknown kind %d", peer, h.Kind)
	case w0>>5&7 != 0:
		return Header{}, fmt.Errorf("ringbuf: header from rank %d: reserved bits %d are set", peer, w0>>5&7)
	case h.Sender != peer:
		return Header{}, fmt.Errorf("ringbuf: header from rank %d: names rank %d as its sender", peer, h.Sender)
	case h.Len > slotBytes:
		return Header{}, fmt.Errorf("ringbuf: header from rank %d: %d bytes in a slot of %d", peer, h.Len, slotBytes)
	}
	return h, nil
}
