package reliable

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// HeaderBytes is the size of the header in front of a payload. It has three little-endian words:
// the datagram's number; the first number that its sender has not received; and a bit for each of
// the next 64 numbers, set if that number has arrived.
const HeaderBytes = 24

// header is the header of a datagram. number is 0 if there is no payload.
type header struct {
	number uint64
	next   uint64
	early  uint64 // bit i is set if number next+1+i has arrived
}

func (h header) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, h.number)
	b = binary.LittleEndian.AppendUint64(b, h.next)
	return binary.LittleEndian.AppendUint64(b, h.early)
}

func (h header) last() uint64 {
	if h.early == 0 {
		return h.next - 1
	}
	return h.next + uint64(bits.Len64(h.early))
}

func (h header) has(number uint64) bool {
	if number <= h.next {
		return number < h.next
	}
	i := number - h.next - 1
	return i < 64 && h.early>>i&1 == 1
}

func decode(datagram []byte) (h header, payload []byte, err error) {
	if len(datagram) < HeaderBytes {
		return h, nil, fmt.Errorf("reliable: datagram of %d bytes: the header alone has %d", len(datagram), HeaderBytes)
	}
	h.number = binary.LittleEndian.Uint64(datagram)
	h.next = binary.LittleEndian.Uint64(datagram[8:])
	h.early = binary.LittleEndian.Uint64(datagram[16:])
	payload = datagram[HeaderBytes:]
	if h.next == 0 || h.next > maxNumber || h.number > maxNumber {
		return h, nil, fmt.Errorf("reliable: datagram %d, next number %d: want numbers up to %d, and next at least 1", h.number, h.next, uint64(maxNumber))
	}
	if (h.number == 0) != (len(payload) == 0) {
		return h, nil, fmt.Errorf("reliable: datagram %d has a payload of %d bytes: only number 0 has none", h.number, len(payload))
	}
	return h, payload, nil
}

// maxNumber is below the largest uint64, so that the end of a window does not overflow.
const maxNumber = 1<<63 - 1
