package collective

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Positions within the area of a level, and its size in bytes.
const (
	countsAt   = 0
	flaggedAt  = countsAt + dimmnet.WordBytes
	halvedAt   = flaggedAt + arity*flaggedBytes
	bareAt     = halvedAt + arity*halvedBytes
	levelBytes = bareAt + arity*bareBytes
)

// Sizes of one member's place.
const (
	flaggedBytes = dimmnet.WordBytes
	halvedBytes  = 3 * dimmnet.WordBytes // two slots, spare
	bareBytes    = 2 * dimmnet.WordBytes // two slots
)

// Bytes is the LLCM, in bytes at every node, that a group of nodes needs.
func Bytes(nodes int) int { return levels(nodes) * levelBytes }

// area says where things lie. It is the same at every node.
type area struct{ base dimmnet.Offset }

func newArea(base dimmnet.Offset, nodes int, limits dimmnet.Limits) (area, error) {
	if base%dimmnet.WordBytes != 0 {
		return area{}, fmt.Errorf("collective: base %d is not a multiple of %d", base, dimmnet.WordBytes)
	}
	if n := Bytes(nodes); int64(base)+int64(n) > int64(limits.LLCM) {
		return area{}, fmt.Errorf("collective: %d nodes need %d bytes at %d, beyond the LLCM of %d", nodes, n, base, limits.LLCM)
	}
	return area{base}, nil
}

func (a area) level(level int) dimmnet.Offset {
	return a.base + dimmnet.Offset(level*levelBytes)
}

// counts is the word of a level's barrier counts.
func (a area) counts(level int) dimmnet.Offset { return a.level(level) + countsAt }

// place is where values of member digit land.
func (a area) place(f format, level, digit int) dimmnet.Offset {
	at, size := flaggedAt, flaggedBytes
	switch f {
	case halved:
		at, size = halvedAt, halvedBytes
	case bare:
		at, size = bareAt, bareBytes
	}
	return a.level(level) + dimmnet.Offset(at+digit*size)
}
