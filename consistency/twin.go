package consistency

import (
	"cmp"
	"math/bits"
	"slices"
)

// twin is a copy of all that a variable guards, one range after another.
type twin struct {
	copy     []byte
	kept     bool     // copy stays between tenures; it equals memory except on outdated pages
	outdated []uint64 // one bit per page of copy
}

// stale marks the pages of v's kept twin that hold r as outdated. r is a part of one range of v.
func (v *copyState) stale(r Range) {
	i, found := slices.BinarySearchFunc(v.ranges, r.Lo, func(q Range, a Addr) int { return cmp.Compare(q.Lo, a) })
	if !found {
		i--
	}
	lo := v.at[i] + int(r.Lo-v.ranges[i].Lo)
	for page := lo / PageBytes; page*PageBytes < lo+r.Len(); page++ {
		v.twin.outdated[page/64] |= 1 << (page % 64)
	}
}

// beginTwin makes the twin of v equal to memory. It returns the number of bytes that it copied.
func (s *Space) beginTwin(v *copyState) (copied int) {
	t := &v.twin
	if t.copy == nil {
		t.copy = make([]byte, v.bytes)
		s.detector.twins += v.bytes
		s.detector.writes.TwinBytes = max(s.detector.writes.TwinBytes, s.detector.twins)
	}
	if !t.kept {
		copied = s.refresh(v, 0, v.bytes)
	} else {
		for i, word := range t.outdated {
			for ; word != 0; word &= word - 1 {
				lo := (i*64 + bits.TrailingZeros64(word)) * PageBytes
				copied += s.refresh(v, lo, min(lo+PageBytes, v.bytes))
			}
		}
		clear(t.outdated)
	}
	t.kept = v.detection != DetectTwin
	if t.kept && t.outdated == nil {
		t.outdated = make([]uint64, (v.bytes+64*PageBytes-1)/(64*PageBytes))
	}
	return copied
}

func (s *Space) refresh(v *copyState, lo, hi int) int {
	i, found := slices.BinarySearch(v.at, lo)
	if !found {
		i--
	}
	for ; i < len(v.ranges) && v.at[i] < hi; i++ {
		mem := s.Bytes(v.ranges[i])
		from, to := max(lo-v.at[i], 0), min(hi-v.at[i], len(mem))
		copy(v.twin.copy[v.at[i]+from:], mem[from:to])
	}
	return hi - lo
}

// endTwin frees the twin of v if all twins together exceed the limit.
func (s *Space) endTwin(v *copyState) {
	if d := &s.detector; v.twin.copy != nil && d.twins > d.keep {
		d.twins -= len(v.twin.copy)
		v.twin = twin{}
	}
}
