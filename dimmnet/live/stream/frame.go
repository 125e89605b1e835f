package stream

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

type kind uint8

const (
	store    kind = iota + 1 // a Store: the low arg bytes of the payload's word go to off
	block                    // a Write: the payload goes to off
	push                     // a piece of a Push, to off; arg is a sum of argLast and argUnsummed
	pushed                   // acknowledges a Push: all its bytes have landed
	pull                     // requests a Pull from off; the payload is an encoded request
	pulled                   // a piece of the answer to a Pull; off and arg as for push
	notify                   // sets the notice event of the node; off is the number of notices
	failure                  // reports that the run has failed: the payload is a rank and a reason
	goodbye                  // the sender posts nothing more
	zeroCopy                 // a piece for the oldest Receive; arg as for push
	alive                    // a sign of life; arg is 1 if the receiver's beats arrive
	kinds
)

const (
	argLast     = 1 // the piece is the last of its move
	argUnsummed = 2 // the payload, a large piece, has no checksum
)

// String returns the name of the kind in messages.
func (k kind) String() string {
	names := [kinds]string{"0", "store", "block", "push", "pushed", "pull", "pulled", "notify", "failure", "goodbye", "zero-copy", "alive"}
	if k < kinds {
		return names[k]
	}
	return fmt.Sprint(uint8(k))
}

const (
	headerBytes  = 24
	frameMagic   = 0xfa65
	smallBytes   = 4096      // the largest payload that goes through the receiver's buffer
	pieceBytes   = 1 << 20   // the largest piece; a piece above smallBytes has whole words
	farBytes     = 256 << 10 // the largest piece to another host: a Store waits longer for it
	requestBytes = 8
	rankBytes    = 2
	failureBytes = 1024 // the longest reason for a failure
)

// header is encoded in little endian; sizes in bytes: magic (2), kind (1), arg (1), payload size
// (4), off (4), number (4), checksum of the payload (4), checksum of the first 20 bytes (4).
type header struct {
	kind    kind
	arg     uint8
	n       int // bytes of payload
	off     dimmnet.Offset
	number  uint32 // counts the frames of this connection, from 0, and wraps around
	payload uint32 // checksum of the payload
}

func (h *header) last() bool { return h.arg&argLast != 0 }

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

// decode returns the header in the first headerBytes of b, or an error if it is invalid.
func decode(b []byte, limits *dimmnet.Limits, s Sums) (header, error) {
	if magic := binary.LittleEndian.Uint16(b); magic != frameMagic {
		return header{}, fmt.Errorf("header with magic %#04x, want %#04x", magic, frameMagic)
	}
	if sum, want := binary.LittleEndian.Uint32(b[20:]), s.of(b[:20]); sum != want {
		return header{}, fmt.Errorf("header with checksum %#08x, want %#08x", sum, want)
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
		return header{}, fmt.Errorf("%v frame of %d bytes: want at most %d", h.kind, n, pieceBytes)
	}
	h.n = int(n)
	return h, h.check(limits)
}

func (h *header) check(limits *dimmnet.Limits) error {
	least, most := 0, 0 // bytes of payload
	maxArg := uint8(0)
	switch h.kind {
	case store:
		least, most, maxArg = word, word, word
		if size := int(h.arg); size == 0 || int(h.off%word)+size > word || !within(h.off, size, limits.LLCM) {
			return fmt.Errorf("store of %d bytes at offset %d: not in one word of the LLCM of %d", size, h.off, limits.LLCM)
		}
	case block:
		least, most = 1, limits.Block
		if !within(h.off, h.n, limits.LLCM) {
			return fmt.Errorf("block of %d bytes at offset %d: outside the LLCM of %d", h.n, h.off, limits.LLCM)
		}
	case push, pulled:
		least, most, maxArg = 1, smallBytes, h.mostArg()
		if (int(h.off)|h.n)%word == 0 {
			most = pieceBytes
		}
		if !inMemory(h.off, h.n, limits) {
			return fmt.Errorf("%v of %d bytes at offset %d: the LLCM ends at %d, the bulk memory at %d", h.kind, h.n, h.off, limits.LLCM, limits.LLCM+limits.Bulk)
		}
	case zeroCopy:
		least, most, maxArg = 1, pieceBytes, h.mostArg()
		if h.off != 0 {
			return fmt.Errorf("zero-copy frame with offset %d: want 0", h.off)
		}
	case pull:
		least, most = requestBytes, requestBytes
	case failure: // with argument 1 the rank is gone (dimmnet.IsGone)
		least, most, maxArg = rankBytes, rankBytes+failureBytes, 1
	case alive:
		maxArg = 1
	case pushed, notify, goodbye:
	default:
		return fmt.Errorf("frame of unknown kind %v", h.kind)
	}
	if h.n < least || h.n > most || h.arg > maxArg {
		return fmt.Errorf("%v frame of %d bytes with argument %d: want %d to %d bytes and an argument of at most %d", h.kind, h.n, h.arg, least, most, maxArg)
	}
	return nil
}

// mostArg returns the largest argument of a piece.
func (h *header) mostArg() uint8 {
	if h.n > smallBytes {
		return argLast | argUnsummed
	}
	return argLast
}

func within(off dimmnet.Offset, n, end int) bool { return int64(off)+int64(n) <= int64(end) }

func inMemory(off dimmnet.Offset, n int, limits *dimmnet.Limits) bool {
	if int64(off) < int64(limits.LLCM) {
		return within(off, n, limits.LLCM)
	}
	return within(off, n, limits.LLCM+limits.Bulk)
}

type request struct {
	to dimmnet.Offset // the destination at the requesting rank
	n  int            // bytes
}

func (r request) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(r.to))
	return binary.LittleEndian.AppendUint32(b, uint32(r.n))
}

// decodeRequest returns the request in b for bytes of this memory at offset from.
func decodeRequest(b []byte, from dimmnet.Offset, limits *dimmnet.Limits) (request, error) {
	r := request{dimmnet.Offset(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))}
	if r.n < 1 || r.n > limits.RDMA || !inMemory(from, r.n, limits) || !inMemory(r.to, r.n, limits) {
		return r, fmt.Errorf("pull of %d bytes from offset %d to %d: the LLCM ends at %d, the bulk memory at %d", r.n, from, r.to, limits.LLCM, limits.LLCM+limits.Bulk)
	}
	return r, nil
}
