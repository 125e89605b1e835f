package sendrecv

import "fmt"

type kind uint8

const (
	// sendReady: the sender is first. value: the message's length; buffer: the last of its area.
	sendReady kind = 1 + iota
	// recvReady: the receiver is first. value: its buffer's size; buffer: its last free one.
	recvReady
	announced // the message takes value rounds
	block     // notice: value bytes are in the landing area
	pushed    // notice: value bytes are in the receive area, up to buffer
	pulled    // notice: value bytes have left the sender's area, up to buffer
	again     // reply: the next round can start
	// tooLong: no data moves. value: the length or, from the receiver, the receive buffer's size.
	tooLong
	lastKind
)

// word is the contents of one AOTF into the flag area of a peer:
//
//	kind 4 | round 4 | number 8 | group 8 | buffer 8 | value 32
//
// The fields are given from the low bits on.
type word struct {
	kind   kind
	round  uint8 // 0 in a message of one round; otherwise cycles through 1 to roundTags
	number uint8 // low bits of the message's number in the pair
	group  uint8
	buffer uint8  // below 256
	value  uint32 // at most MaxBytes
}

// roundTags is the number of different round tags. Two would suffice.
const roundTags = 15

func (w word) encode() uint64 {
	return uint64(w.kind) | uint64(w.round)<<4 | uint64(w.number)<<8 |
		uint64(w.group)<<16 | uint64(w.buffer)<<24 | uint64(w.value)<<32
}

func decode(raw uint64) (word, error) {
	w := word{
		kind:   kind(raw & 15),
		round:  uint8(raw >> 4 & 15),
		number: uint8(raw >> 8),
		group:  uint8(raw >> 16),
		buffer: uint8(raw >> 24),
		value:  uint32(raw >> 32),
	}
	if w.kind == 0 || w.kind >= lastKind || w.value > MaxBytes {
		return word{}, fmt.Errorf("kind %d and value %d in %#x: want a kind from 1 to %d and a value up to %d", w.kind, w.value, raw, lastKind-1, MaxBytes)
	}
	return w, nil
}
