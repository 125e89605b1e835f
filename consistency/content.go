package consistency

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Content returns the content of this rank's copy of a variable. If the variable guards up to 8
// bytes, the content is these bytes, little endian, else their FNV-1a hash.
func (s *Space) Content(id syncvar.ID) uint64 { return contentOf(s.Ranges(id), s.Bytes) }

// Blank returns the Content of a variable whose bytes are all zero.
func (s *Space) Blank(id syncvar.ID) uint64 {
	return contentOf(s.Ranges(id), func(r Range) []byte { return make([]byte, r.Len()) })
}

func contentOf(ranges []Range, bytes func(Range) []byte) uint64 {
	var word [8]byte
	n := 0
	for _, r := range ranges {
		n += r.Len()
	}
	if n <= len(word) {
		at := word[:0]
		for _, r := range ranges {
			at = append(at, bytes(r)...)
		}
		return binary.LittleEndian.Uint64(word[:])
	}
	h := fnv.New64a()
	for _, r := range ranges {
		h.Write(bytes(r))
	}
	return h.Sum64()
}
