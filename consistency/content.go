package consistency

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Content is what a variable guards in this rank's copy: the bytes themselves, little
// endian, if there are up to 8, else a hash of them (FNV-1a).
func (s *Space) Content(id syncvar.ID) uint64 {
	v := &s.vars[id]
	var word [8]byte
	n := 0
	for _, r := range v.ranges {
		n += r.Len()
	}
	if n <= len(word) {
		at := word[:0]
		for _, r := range v.ranges {
			at = append(at, s.Bytes(r)...)
		}
		return binary.LittleEndian.Uint64(word[:])
	}
	h := fnv.New64a()
	for _, r := range v.ranges {
		h.Write(s.Bytes(r))
	}
	return h.Sum64()
}
