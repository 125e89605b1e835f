package tcp

import "hash/crc32"

// sums says what has a checksum. Of what has none it is 0.
type sums uint8

const (
	sumAll   sums = iota // headers and payloads
	sumSmall             // not the payload of large pieces
	sumNone              // the stream sees to it
)

// of is the checksum of a header or of a small payload.
func (s sums) of(b []byte) uint32 {
	if s == sumNone {
		return 0
	}
	return checksum(0, b)
}

// ofPiece is the checksum of a large piece, continued over b.
func (s sums) ofPiece(sum uint32, b []byte) uint32 {
	if s != sumAll {
		return 0
	}
	return checksum(sum, b)
}

// checksum continues sum over b, by the polynomial that processors have an instruction
// for.
func checksum(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}
