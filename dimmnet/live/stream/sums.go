package stream

import (
	"fmt"
	"hash/crc32"
)

// Sums selects which parts of frames have a checksum, a CRC32C. Other parts have checksum 0.
type Sums uint8

const (
	SumAll   Sums = iota // headers and payloads
	SumSmall             // headers and payloads, except payloads of large pieces
	SumNone              // none: the streams detect changes themselves
)

// String describes in words which parts have a checksum.
func (s Sums) String() string {
	switch s {
	case SumAll:
		return "all bytes"
	case SumSmall:
		return "all but large pieces"
	case SumNone:
		return "nothing"
	}
	return fmt.Sprintf("an unknown part (%d)", uint8(s))
}

func (s Sums) of(b []byte) uint32 {
	if s == SumNone {
		return 0
	}
	return checksum(0, b)
}

// ofPiece continues sum, the checksum of a large piece, over b, the next bytes of that piece.
func (s Sums) ofPiece(sum uint32, b []byte) uint32 {
	if s != SumAll {
		return 0
	}
	return checksum(sum, b)
}

// checksum continues sum over b. Processors have an instruction for the Castagnoli polynomial.
func checksum(sum uint32, b []byte) uint32 {
	return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
}
