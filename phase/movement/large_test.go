package movement

import (
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestLargePieces encodes, decodes and divides pieces of more than 4 GiB, and at the end of the
// address space.
func TestLargePieces(t *testing.T) {
	const end = consistency.MaxAddr
	for _, r := range []consistency.Range{
		{Lo: 4096, Hi: 4096 + 1<<32}, {Lo: 1<<32 - 8, Hi: 1<<32 + 8}, {Lo: 1<<32 + 4096, Hi: 1<<33 + 1<<32 + 3}, {Lo: end - 1<<34 - 1, Hi: end - 1}, {Lo: end - 1, Hi: end},
	} {
		b := appendPieces(nil, []consistency.Cut{{Range: r, Age: 1<<16 - 1}})
		if lo, length, age := decodePiece(b); lo != r.Lo || length != uint64(r.Hi-r.Lo) || age != 1<<16-1 {
			t.Errorf("%+v decodes to address %d, %d bytes, age %d", r, lo, length, age)
		}
		n := countBytes + pieceBytes + Padded(r.Len())
		if cuts, err := decodePieces(b, n); err != nil || cuts[0].Range != r {
			t.Errorf("%+v decodes to %+v, %v", r, cuts, err)
		}
		if _, err := decodePieces(b, n-dimmnet.WordBytes); err == nil {
			t.Errorf("%+v: its message is a word too short, no error", r)
		}
		var c coopCopy
		c.add(r)
		at := r.Lo
		for i, p := range c.portions {
			if p.Lo != at || p.Len() < 1 || p.Len() > portionBytes || p.Len() < portionBytes && i < len(c.portions)-1 {
				t.Fatalf("%+v: portion %d is %+v", r, i, p)
			}
			at = p.Hi
		}
		if at != r.Hi {
			t.Errorf("%+v: the portions end at %d", r, at)
		}
	}
	for _, portion := range []int{0, 1, 1 << 30, 1<<31 - 1} {
		for _, number := range []uint32{1, 1<<32 - 1} {
			if got, done, ok := decodeProgress(progressWord(number, portion, true), number); got != portion || !done || !ok {
				t.Errorf("portion %d of copy %d: %d, %v, %v", portion, number, got, done, ok)
			}
			if _, _, ok := decodeProgress(progressWord(number, portion, true), number-1); ok {
				t.Errorf("portion %d of copy %d counts for the copy before", portion, number)
			}
		}
	}
}

// TestLargeWords encodes grants and notices at the end of a memory of 4 GiB.
func TestLargeWords(t *testing.T) {
	const llcm, most = 1 << 17, 1<<32 - dimmnet.WordBytes
	memory, tag := span{llcm, most - llcm}, tag(1<<24-1, messageMax-1)
	for _, c := range []struct {
		off dimmnet.Offset
		n   int
		ok  bool
	}{
		{llcm, most - llcm, true}, {llcm, most - llcm + 8, false}, {most - 8, 8, true}, {most, 8, false}, {most - 8, 16, false}, {most - 8, 1 << 31, false}, {llcm - 8, 8, false}, {1 << 31, 1 << 31, false},
	} {
		g, granted, err := decodeGrant(grant{offset: c.off}.encode(tag), tag, c.n, memory)
		if granted != c.ok || (err == nil) != c.ok || c.ok && g.offset != c.off {
			t.Errorf("a grant of %d bytes at offset %d: offset %d, granted %v, %v", c.n, c.off, g.offset, granted, err)
		}
	}
	for _, n := range []notice{{bytes: most}, {bytes: most, ends: true}, {bytes: most, ends: true, last: true}, {bytes: 1 << 31}} {
		if got, ok := decodeNotice(n.encode(tag), tag); got != n || !ok {
			t.Errorf("notice %+v decodes to %+v, %v", n, got, ok)
		}
	}
}
