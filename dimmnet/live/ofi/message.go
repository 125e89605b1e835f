package ofi

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// kind is the kind of a message between two ranks.
type kind uint8

const (
	data   kind = iota + 1 // bytes of the stream
	offer                  // an exposure, and before it bytes of the stream
	taken                  // the receiver has read the exposed memory
	credit                 // only the credits in the header
	end                    // the sender sends nothing more
	beat                   // a sign of life
	kinds
)

func (k kind) String() string {
	if k < kinds {
		return [kinds]string{"0", "data", "offer", "taken", "credit", "end", "beat"}[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

const (
	headerBytes   = 16
	exposureBytes = 24
	messageBytes  = 16 << 10 // the longest message: as long as an eager message of ofi_rxm
)

// header begins every message. Sizes in bytes: token (8), source (2), kind (1), zero (1), credits
// (2), zero (2), little endian.
type header struct {
	token   uint64 // proves that the sender belongs to the run
	source  dimmnet.Rank
	kind    kind
	credits uint16 // messages that the sender has read since it last returned credits
}

func (h *header) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, h.token)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.source))
	b = append(b, byte(h.kind), 0)
	b = binary.LittleEndian.AppendUint16(b, h.credits)
	return append(b, 0, 0)
}

// exposure is n bytes of memory of a rank that a peer may access. In an offer they are the next
// bytes of the stream.
type exposure struct{ address, key, n uint64 }

func (e exposure) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, e.address)
	b = binary.LittleEndian.AppendUint64(b, e.key)
	return binary.LittleEndian.AppendUint64(b, e.n)
}

// decode returns the header of a message, the exposure of an offer, and the bytes of the stream.
func decode(b []byte) (h header, e exposure, rest []byte, err error) {
	if len(b) < headerBytes {
		return h, e, nil, fmt.Errorf("a message of %d bytes: want at least %d", len(b), headerBytes)
	}
	h = header{
		token:   binary.LittleEndian.Uint64(b),
		source:  dimmnet.Rank(binary.LittleEndian.Uint16(b[8:])),
		kind:    kind(b[10]),
		credits: binary.LittleEndian.Uint16(b[12:]),
	}
	rest = b[headerBytes:]
	switch {
	case h.kind == 0 || h.kind >= kinds || b[11] != 0 || b[14] != 0 || b[15] != 0:
		return h, e, nil, fmt.Errorf("a message with header % x", b[8:headerBytes])
	case h.kind == offer:
		if len(rest) < exposureBytes {
			return h, e, nil, fmt.Errorf("an offer of %d bytes: want at least %d", len(rest), exposureBytes)
		}
		e = exposure{binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:]), binary.LittleEndian.Uint64(rest[16:])}
		rest = rest[exposureBytes:]
		if e.n == 0 {
			return h, e, nil, fmt.Errorf("an offer of no memory")
		}
	case h.kind == data && len(rest) == 0, h.kind != data && len(rest) > 0:
		return h, e, nil, fmt.Errorf("a message of kind %v with %d bytes of the stream", h.kind, len(rest))
	}
	return h, e, rest, nil
}
