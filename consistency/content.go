package consistency

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Content returns the content of this rank's copy of a variable. If the variable guards up to 8
// bytes, the content is these bytes, little endian, else their FNV-1a hash.
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
