package sendrecv

import "fmt"

// kind says what a word in a flag area means.
type kind uint8

const (
	sendReady kind = 1 + iota // a sender has come first: value is the length of its message, buffer the last of its area
	recvReady                 // a receiver has come first: value is its room, buffer the last one free
	announced                 // value rounds follow
	block                     // notice: value bytes are in the landing area
	pushed                    // notice: value bytes are in the receive area, up to buffer
	pulled                    // notice: value bytes have left the sender's area, up to buffer
	again                     // reply: the next round may come
	tooLong                   // nothing moves: value is the length of the message, or the room for it
	lastKind
)

// word is what one rank stores into the flag area of another, in one AOTF:
//
//	kind 4 | round 4 | number 8 | group 8 | buffer 8 | value 32
//
// The low bits come first.
type word struct {
	kind   kind
	round  uint8 // 0 in a message of one round; else 1..roundTags, over and over
	number uint8 // low bits of the message's number among those of the pair
	group  uint8
	buffer uint8  // a receive area has at most 256
	value  uint32 // at most MaxBytes
}

// roundTags is how many rounds can be told apart. Two would do.
const roundTags = 15

func (w word) encode() uint64 {
	return uint64(w.kind) | uint64(w.round)<<4 | uint64(w.number)<<8 |
		uint64(w.group)<<16 | uint64(w.buffer)<<24 | uint64(w.value)<<32
}

// decode unpacks a word that a peer has stored.
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
		return word{}, fmt.Errorf("kind %d and value %d in word %#x", w.kind, w.value, raw)
	}
	return w, nil
}
