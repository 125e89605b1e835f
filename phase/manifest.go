package phase

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
)

// A message of a cast says itself what it holds: a manifest, then the bytes of
// the pieces in that order, each from a word's start.
//
//	word 0        number of pieces
//	2 a piece     address 48 | age 16, then length
const (
	countBytes = dimmnet.WordBytes
	pieceBytes = 2 * dimmnet.WordBytes
)

// padded is n, rounded up to whole words.
func padded(n int) int { return (n + dimmnet.WordBytes - 1) &^ (dimmnet.WordBytes - 1) }

// appendManifest appends the manifest of cuts to b.
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

// decodePiece decodes the first piece of b. The length may be anything.
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

// decodePieces decodes the rest of the manifest of a message of n bytes. The
// pieces fill it to its end, and none is empty.
func decodePieces(b []byte, n int) ([]consistency.Cut, error) {
	cuts := make([]consistency.Cut, 0, len(b)/pieceBytes)
	rest := n - countBytes - len(b)
	for ; len(b) > 0; b = b[pieceBytes:] {
		lo, length, age := decodePiece(b)
		if length == 0 || rest < 0 || length > uint64(rest) {
			return nil, fmt.Errorf("piece %d has %d bytes, and %d are left", len(cuts), length, rest)
		}
		rest -= padded(int(length))
		cuts = append(cuts, consistency.Cut{Range: consistency.Range{Lo: lo, Hi: lo + consistency.Addr(length)}, Age: age})
	}
	if rest != 0 {
		return nil, fmt.Errorf("its pieces take %d bytes less than its %d", rest, n)
	}
	return cuts, nil
}

// pack takes cuts off the front of queue, which it takes over, that make a
// message of at most limit bytes, and cuts the last one if need be. It returns the
// message's size. limit is at least minMessage, so that it moves something.
func pack(queue []consistency.Cut, limit int) (message, rest []consistency.Cut, n int) {
	n = countBytes
	for len(queue) > 0 {
		c := queue[0]
		room := (limit - n - pieceBytes) &^ (dimmnet.WordBytes - 1)
		if room <= 0 {
			break
		}
		if c.Len() > room {
			first := consistency.Cut{Range: consistency.Range{Lo: c.Lo, Hi: c.Lo + consistency.Addr(room)}, Age: c.Age}
			queue[0].Lo = first.Hi
			return append(message, first), queue, n + pieceBytes + room
		}
		message = append(message, c)
		n += pieceBytes + padded(c.Len())
		queue = queue[1:]
	}
	return message, queue, n
}

// minMessage is the least size of a message that moves a word.
const minMessage = countBytes + pieceBytes + dimmnet.WordBytes

// mostBytes bounds what a cast of variables takes as one message, from what all
// ranks know: the bytes that the variables guard and the pieces that these can
// come in.
func mostBytes(guarded, pieces int) int {
	return countBytes + padded(guarded) + pieces*(pieceBytes+dimmnet.WordBytes)
}
