package movement

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
)

// A message of a multicast begins with a manifest of its pieces. The bytes of the pieces follow in
// the same order. Each piece begins at a word.
//
//	word 0               the number of pieces
//	2 words per piece    address 48 | age 16, then the length
const (
	countBytes = dimmnet.WordBytes
	pieceBytes = 2 * dimmnet.WordBytes
)

// Padded returns n, a number of bytes, rounded up to whole words.
func Padded(n int) int { return (n + dimmnet.WordBytes - 1) &^ (dimmnet.WordBytes - 1) }

func appendManifest(b []byte, cuts []consistency.Cut) []byte {
	return appendPieces(binary.LittleEndian.AppendUint64(b, uint64(len(cuts))), cuts)
}

func appendPieces(b []byte, cuts []consistency.Cut) []byte {
	for _, c := range cuts {
		b = binary.LittleEndian.AppendUint64(b, uint64(c.Lo)|uint64(c.Age)<<48)
		b = binary.LittleEndian.AppendUint64(b, uint64(c.Len()))
	}
	return b
}

// decodePiece decodes the first piece of b. It does not check the length.
func decodePiece(b []byte) (lo consistency.Addr, length uint64, age uint16) {
	w := binary.LittleEndian.Uint64(b)
	return consistency.Addr(w & (consistency.MaxAddr - 1)), binary.LittleEndian.Uint64(b[dimmnet.WordBytes:]), uint16(w >> 48)
}

// manifestCount decodes the first word of a message of n bytes.
func manifestCount(first [countBytes]byte, n int) (pieces int, err error) {
	word := binary.LittleEndian.Uint64(first[:])
	if most := (n - countBytes) / pieceBytes; word > uint64(most) {
		return 0, fmt.Errorf("%d pieces in a message of %d bytes", word, n)
	}
	return int(word), nil
}

// decodePieces decodes b, the manifest without its first word, of a message of n bytes. The pieces
// must fill the message to its end, and none may be empty.
func decodePieces(b []byte, n int) ([]consistency.Cut, error) {
	cuts := make([]consistency.Cut, 0, len(b)/pieceBytes)
	rest := n - countBytes - len(b)
	for ; len(b) > 0; b = b[pieceBytes:] {
		lo, length, age := decodePiece(b)
		if length == 0 || rest < 0 || length > uint64(rest) {
			return nil, fmt.Errorf("piece %d has %d bytes, and %d are left", len(cuts), length, rest)
		}
		rest -= Padded(int(length))
		cuts = append(cuts, consistency.Cut{Range: consistency.Range{Lo: lo, Hi: lo + consistency.Addr(length)}, Age: age})
	}
	if rest != 0 {
		return nil, fmt.Errorf("its pieces are %d bytes shorter than its %d", rest, n)
	}
	return cuts, nil
}

// pack takes cuts off the front of queue for a message of at most limit bytes, and splits the last
// cut if necessary. It returns the cuts of the message, the rest of queue and the size of the
// message in bytes. It may change queue. limit must be at least minMessage.
func pack(queue []consistency.Cut, limit int) (message, rest []consistency.Cut, n int) {
	n = countBytes
	for len(queue) > 0 {
		c := queue[0]
		free := (limit - n - pieceBytes) &^ (dimmnet.WordBytes - 1)
		if free <= 0 {
			break
		}
		if c.Len() > free {
			first := consistency.Cut{Range: consistency.Range{Lo: c.Lo, Hi: c.Lo + consistency.Addr(free)}, Age: c.Age}
			queue[0].Lo = first.Hi
			return append(message, first), queue, n + pieceBytes + free
		}
		message = append(message, c)
		n += pieceBytes + Padded(c.Len())
		queue = queue[1:]
	}
	return message, queue, n
}

// minMessage is the size of the smallest message that moves a word.
const minMessage = countBytes + pieceBytes + dimmnet.WordBytes

// mostBytes bounds the size of a multicast that goes as one message. All its ranks know guarded,
// the bytes that its variables guard, and pieces, the largest number of pieces that it can have.
func mostBytes(guarded, pieces int) int {
	return countBytes + Padded(guarded) + pieces*(pieceBytes+dimmnet.WordBytes)
}
