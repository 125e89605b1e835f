package mpi

import "github.com/fagus-dsm/fagus/dimmnet"

// ringSender is the sending end of the ring to one rank.
type ringSender struct {
	appended uint64 // by records that are complete
	taken    uint64 // by the receiver, as last seen

	// The record under way, if length is not 0.
	control Control
	data    []byte
	length  int // without what fills the last word
	posted  int

	// What is still to be written, in records of its own.
	to   []Destination
	rest []byte
	done int // of to[0]
}

func (s *ringSender) busy() bool { return s.length > 0 || len(s.to) > 0 }

func (s *ringSender) begin(c *Control, data []byte) {
	s.control, s.data, s.length, s.posted = *c, data, ControlBytes+len(data), 0
}

// room says whether dst's ring has room for a record of n bytes. It looks how far the
// receiver is only when it must.
func (l *ringLink) room(dst dimmnet.Rank, n int) bool {
	s := &l.senders[dst]
	if s.free(l.layout.ring) < n {
		s.taken = l.port.Load(l.layout.taken(dst))
	}
	return s.free(l.layout.ring) >= n
}

// free is how many bytes of the ring are. A receiver that claims to have taken what was never
// put there gets nothing.
func (s *ringSender) free(ring int) int {
	if used := s.appended - s.taken; used <= uint64(ring) {
		return ring - int(used)
	}
	return 0
}

// push posts what is under way to dst as far as that goes, and says whether it went anywhere.
func (l *ringLink) push(dst dimmnet.Rank) (progress bool) {
	s := &l.senders[dst]
	for s.busy() {
		if s.length == 0 {
			if !l.nextPiece(dst) {
				return progress
			}
			progress = true
		}
		if !l.post(dst) {
			return progress
		}
		progress = true
	}
	return progress
}

// nextPiece begins a record for what is still to be written.
func (l *ringLink) nextPiece(dst dimmnet.Rank) bool {
	s := &l.senders[dst]
	n := min(s.to[0].Size-s.done, l.layout.block())
	if !l.room(dst, recordBytes(n)) {
		return false
	}
	c := control{kind: remoteWrite, receiver: uint32(s.to[0].Address), data: uint32(n), size: uint64(s.done)}
	b := c.encode()
	s.begin(&b, s.rest[:n])
	s.rest = s.rest[n:]
	if s.done += n; s.done == s.to[0].Size {
		s.to, s.done = s.to[1:], 0
	}
	return true
}

// post does the next post of the record under way.
func (l *ringLink) post(dst dimmnet.Rank) bool {
	s := &l.senders[dst]
	own := l.port.Rank()
	if s.posted == s.length {
		// The position goes last: its landing proves that the record landed.
		after := s.appended + uint64(recordBytes(len(s.data)))
		if !l.port.Store(dst, l.layout.appended(own), after, wordBytes) {
			return false
		}
		s.appended, s.data, s.length = after, nil, 0
		return true
	}
	off, room := l.layout.place(own, s.appended+uint64(s.posted))
	n := min(len(l.scratch), room, s.length-s.posted)
	var p []byte
	if s.posted >= ControlBytes {
		p = s.data[s.posted-ControlBytes:][:n]
	} else {
		p = l.scratch[:n]
		head := copy(p, s.control[s.posted:])
		copy(p[head:], s.data)
	}
	if !l.port.Write(dst, off, p) {
		return false
	}
	s.posted += n
	return true
}
