package stream

import "hash/crc32"

// Sums says what has a checksum, a CRC32C. Of what has none it is 0.
type Sums uint8

const (
	SumAll   Sums = iota // headers and payloads
	SumSmall             // not the payload of large pieces
	SumNone              // the streams see to it
)

// of is the checksum of a header or of a small payload.
func (s Sums) of(b []byte) uint32 {
	if s == SumNone {
		return 0
	}
	return checksum(0, b)
}

// ofPiece is the checksum of a large piece, continued over b.
func (s Sums) ofPiece(sum uint32, b []byte) uint32 {
	if s != SumAll {
		return 0
	}
	return checksum(sum, b)
}

// checksum continues sum over b, by the polynomial that processors have an instruction
// for.
func checksum(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}
