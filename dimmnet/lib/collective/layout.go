package collective

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Offsets within the area of a level, and its size in bytes.
const (
	countsAt   = 0
	flaggedAt  = countsAt + dimmnet.WordBytes
	halvedAt   = flaggedAt + arity*flaggedBytes
	bareAt     = halvedAt + arity*halvedBytes
	levelBytes = bareAt + arity*bareBytes
)

// Sizes of the entry of one member, in bytes.
const (
	flaggedBytes = dimmnet.WordBytes
	halvedBytes  = 3 * dimmnet.WordBytes // two slots, spare
	bareBytes    = 2 * dimmnet.WordBytes // two slots
)

// Bytes returns how many bytes of LLCM a group needs at each of its nodes.
func Bytes(nodes int) int { return levels(nodes) * levelBytes }

// area computes offsets in the group's part of the LLCM, which are the same at every node.
type area struct{ base dimmnet.Offset }

func newArea(base dimmnet.Offset, nodes int, limits dimmnet.Limits) (area, error) {
	if base%dimmnet.WordBytes != 0 {
		return area{}, fmt.Errorf("collective: base %d: want a multiple of %d", base, dimmnet.WordBytes)
	}
	if n := Bytes(nodes); int64(base)+int64(n) > int64(limits.LLCM) {
		return area{}, fmt.Errorf("collective: %d nodes need %d bytes from offset %d on, but the LLCM ends at %d", nodes, n, base, limits.LLCM)
	}
	return area{base}, nil
}

func (a area) level(level int) dimmnet.Offset { return a.base + dimmnet.Offset(level*levelBytes) }

func (a area) counts(level int) dimmnet.Offset { return a.level(level) + countsAt }

func (a area) entry(f format, level, digit int) dimmnet.Offset {
	at, size := flaggedAt, flaggedBytes
	switch f {
	case halved:
		at, size = halvedAt, halvedBytes
	case bare:
		at, size = bareAt, bareBytes
	}
	return a.level(level) + dimmnet.Offset(at+digit*size)
}
