package reliable

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// HeaderBytes is what a Conn puts in front of a payload: three little-endian words,
// the datagram's number, the first number that the sender has not received, and a
// bit for each of the 64 behind that which it has.
const HeaderBytes = 24

// header is that of a datagram. number is 0 where there is no payload.
type header struct {
	number uint64
	next   uint64
	early  uint64 // bit i: next+1+i has arrived
}

// append puts h behind b.
func (h header) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, h.number)
	b = binary.LittleEndian.AppendUint64(b, h.next)
	return binary.LittleEndian.AppendUint64(b, h.early)
}

// last is the highest number that h acknowledges.
func (h header) last() uint64 {
	if h.early == 0 {
		return h.next - 1
	}
	return h.next + uint64(bits.Len64(h.early))
}

// has says whether h acknowledges a number.
func (h header) has(number uint64) bool {
	if number <= h.next {
		return number < h.next
	}
	i := number - h.next - 1
	return i < 64 && h.early>>i&1 == 1
}

// decode splits a datagram from the wire.
func decode(datagram []byte) (h header, payload []byte, err error) {
	if len(datagram) < HeaderBytes {
		return h, nil, fmt.Errorf("reliable: datagram of %d bytes: a header has %d", len(datagram), HeaderBytes)
	}
	h.number = binary.LittleEndian.Uint64(datagram)
	h.next = binary.LittleEndian.Uint64(datagram[8:])
	h.early = binary.LittleEndian.Uint64(datagram[16:])
	payload = datagram[HeaderBytes:]
	if h.next == 0 || h.next > maxNumber || h.number > maxNumber {
		return h, nil, fmt.Errorf("reliable: datagram %d acknowledges those before %d: numbers are 1 to %d", h.number, h.next, uint64(maxNumber))
	}
	if (h.number == 0) != (len(payload) == 0) {
		return h, nil, fmt.Errorf("reliable: datagram %d has %d bytes: those with a payload are numbered from 1", h.number, len(payload))
	}
	return h, payload, nil
}

// maxNumber leaves room for windows behind it.
const maxNumber = 1<<63 - 1
