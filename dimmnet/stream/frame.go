package stream

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// kind says what a frame is.
type kind uint8

const (
	store   kind = iota + 1 // arg bytes of the payload's word, to off
	block                   // the payload to off: a Write
	push                    // a piece of a Push: the payload to off; arg is 1 in the last
	pushed                  // a Push has landed
	pull                    // a request for arg 0, off and as many bytes as the payload says
	pulled                  // a piece of the answer: the payload to off; arg is 1 in the last
	notify                  // sets the event of the node, off times
	failure                 // the run has failed: the payload says because of whom and why
	goodbye                 // nothing more is posted
	gift                    // a piece of what was given, for the next Take; arg is 1 in the last
	kinds
)

// String is for messages.
func (k kind) String() string {
	names := [kinds]string{"0", "store", "block", "push", "pushed", "pull", "pulled", "notify", "failure", "goodbye", "gift"}
	if k < kinds {
		return names[k]
	}
	return fmt.Sprint(uint8(k))
}

const (
	headerBytes  = 24
	frameMagic   = 0xfa65
	smallBytes   = 4096      // of a piece that need not be aligned
	pieceBytes   = 256 << 10 // of a piece that is
	pullBytes    = 8
	rankBytes    = 2
	failureBytes = 1024
)

// header is what a frame begins with. In bytes, little endian: magic 2, kind 1, arg 1,
// payload 4, off 4, number 4, checksum of the payload 4, of the 20 bytes before it 4.
type header struct {
	kind    kind
	arg     uint8
	n       int // bytes of payload
	off     dimmnet.Offset
	number  uint32 // of the frames on this connection, from 0
	payload uint32 // its checksum
}

// append puts h behind b.
func (h *header) append(b []byte, s Sums) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(b, frameMagic)
	b = append(b, byte(h.kind), h.arg)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.n))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.off))
	b = binary.LittleEndian.AppendUint32(b, h.number)
	b = binary.LittleEndian.AppendUint32(b, h.payload)
	return binary.LittleEndian.AppendUint32(b, s.of(b[start:]))
}

// decode is the header at the start of b, which has that much. It is one that a rank
// with these limits and checksums may send, or an error.
func decode(b []byte, limits *dimmnet.Limits, s Sums) (header, error) {
	if magic := binary.LittleEndian.Uint16(b); magic != frameMagic {
		return header{}, fmt.Errorf("magic %#04x, want %#04x", magic, frameMagic)
	}
	if sum, want := binary.LittleEndian.Uint32(b[20:]), s.of(b[:20]); sum != want {
		return header{}, fmt.Errorf("checksum of a header %#08x, want %#08x", sum, want)
	}
	n := binary.LittleEndian.Uint32(b[4:])
	h := header{
		kind:    kind(b[2]),
		arg:     b[3],
		off:     dimmnet.Offset(binary.LittleEndian.Uint32(b[8:])),
		number:  binary.LittleEndian.Uint32(b[12:]),
		payload: binary.LittleEndian.Uint32(b[16:]),
	}
	if n > pieceBytes {
		return header{}, fmt.Errorf("frame %v of %d bytes: more than %d", h.kind, n, pieceBytes)
	}
	h.n = int(n)
	return h, h.check(limits)
}

// check says what is wrong with the sizes and the place of h.
func (h *header) check(limits *dimmnet.Limits) error {
	least, most := 0, 0 // bytes of payload
	maxArg := uint8(0)
	switch h.kind {
	case store:
		least, most, maxArg = word, word, word
		if size := int(h.arg); size == 0 || int(h.off%word)+size > word || !within(h.off, size, limits.LLCM) {
			return fmt.Errorf("store of %d bytes at offset %d of an LLCM of %d", size, h.off, limits.LLCM)
		}
	case block:
		least, most = 1, limits.Block
		if !within(h.off, h.n, limits.LLCM) {
			return fmt.Errorf("block of %d bytes at offset %d of an LLCM of %d", h.n, h.off, limits.LLCM)
		}
	case push, pulled:
		least, most, maxArg = 1, smallBytes, 1
		if (int(h.off)|h.n)%word == 0 {
			most = pieceBytes
		}
		if !inMemory(h.off, h.n, limits) {
			return fmt.Errorf("%v of %d bytes at offset %d: memory ends at %d and %d", h.kind, h.n, h.off, limits.LLCM, limits.LLCM+limits.Bulk)
		}
	case gift:
		least, most, maxArg = 1, pieceBytes, 1
		if h.off != 0 {
			return fmt.Errorf("gift to offset %d", h.off)
		}
	case pull:
		least, most = pullBytes, pullBytes
	case failure:
		least, most = rankBytes, rankBytes+failureBytes
	case pushed, notify, goodbye:
	default:
		return fmt.Errorf("frame of kind %v", h.kind)
	}
	if h.n < least || h.n > most || h.arg > maxArg {
		return fmt.Errorf("frame %v of %d bytes with %d: it has %d to %d, and at most %d", h.kind, h.n, h.arg, least, most, maxArg)
	}
	return nil
}

// within says whether n bytes at off end by end.
func within(off dimmnet.Offset, n, end int) bool { return int64(off)+int64(n) <= int64(end) }

// inMemory says whether n bytes at off lie in the LLCM or in the bulk memory.
func inMemory(off dimmnet.Offset, n int, limits *dimmnet.Limits) bool {
	if int64(off) < int64(limits.LLCM) {
		return within(off, n, limits.LLCM)
	}
	return within(off, n, limits.LLCM+limits.Bulk)
}

// request is the payload of a pull.
type request struct {
	to dimmnet.Offset // at the rank that asks
	n  int
}

func (r request) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(r.to))
	return binary.LittleEndian.AppendUint32(b, uint32(r.n))
}

// decodeRequest is that of a pull of bytes at from here.
func decodeRequest(b []byte, from dimmnet.Offset, limits *dimmnet.Limits) (request, error) {
	r := request{dimmnet.Offset(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))}
	if r.n < 1 || r.n > limits.RDMA || !inMemory(from, r.n, limits) || !inMemory(r.to, r.n, limits) {
		return r, fmt.Errorf("pull of %d bytes from offset %d to %d: memory ends at %d and %d", r.n, from, r.to, limits.LLCM, limits.LLCM+limits.Bulk)
	}
	return r, nil
}
