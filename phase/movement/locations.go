package movement

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// With the methods fetch and zeroCopy a slot holds no data. It lists where the data are in the
// global address space: for each cut, an entry as in a manifest (manifest.go).

// takeLocations appends to buf the locations of the next cuts of t that fit a slot.
func (m *Mover) takeLocations(buf []byte, t *outTransfer) ([]byte, []consistency.Cut) {
	cuts := t.stream.Cuts[t.next:t.stream.sendable()]
	cuts = cuts[:min(len(cuts), m.Layout.SlotBytes/pieceBytes)]
	t.next += len(cuts)
	return appendPieces(buf, cuts), cuts
}

// location is a cut that a peer has announced and whose bytes are still to come.
type location struct {
	consistency.Range
	mem    []byte  // the memory of the cut at this rank
	stream *stream // the stream of the cut's variable
}

// locationReader takes slots of locations. Its slices are reused.
type locationReader struct {
	mover *Mover
	from  dimmnet.Rank
	buf   []byte
	found []location
}

// read takes the slot with header h and adds its cuts to their streams. It returns the locations
// of the cuts that are not empty; they are valid until the next call of read.
func (r *locationReader) read(ring *ringbuf.Receiver, h ringbuf.Header) ([]location, error) {
	if h.Len == 0 || h.Len%pieceBytes != 0 {
		return nil, fmt.Errorf("phase: rank %d sent %d bytes of locations, want a multiple of %d", r.from, h.Len, pieceBytes)
	}
	r.buf = slices.Grow(r.buf[:0], h.Len)[:h.Len]
	ring.Take(r.buf)
	r.found = r.found[:0]
	for rest := r.buf; len(rest) > 0; rest = rest[pieceBytes:] {
		lo, length, age := decodePiece(rest)
		if length > consistency.MaxAddr {
			return nil, fmt.Errorf("phase: rank %d sent the location of %d bytes, the limit is %d", r.from, length, uint64(consistency.MaxAddr))
		}
		rng := consistency.Range{Lo: lo, Hi: lo + consistency.Addr(length)}
		s, mem, err := r.mover.follow(r.from, consistency.Cut{Range: rng, Age: age}, h.Last && len(rest) == pieceBytes)
		if err != nil {
			return nil, err
		}
		if length == 0 { // the sender has nothing newer
			continue
		}
		s.incomplete++
		r.found = append(r.found, location{rng, mem, s})
		r.mover.Counts.Fetched += length
	}
	return r.found, nil
}
