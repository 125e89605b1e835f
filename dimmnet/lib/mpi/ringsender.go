package mpi

import "github.com/fagus-dsm/fagus/dimmnet"

type ringSender struct {
	appended uint64 // position after the last complete record
	consumed uint64 // the receiver's position when it was last read

	// The record in progress, if length is not 0.
	control Control
	data    []byte
	length  int // without the padding of the last word
	posted  int // bytes posted

	// The rest of a write, for further records.
	to   []Destination
	rest []byte
	done int // bytes of to[0] sent
}

func (s *ringSender) busy() bool { return s.length > 0 || len(s.to) > 0 }

func (s *ringSender) begin(c *Control, data []byte) {
	s.control, s.data, s.length, s.posted = *c, data, ControlBytes+len(data), 0
}

// hasSpace reports whether n more bytes fit. It polls the receiver's position only if needed.
func (l *ringLink) hasSpace(dst dimmnet.Rank, n int) bool {
	s := &l.senders[dst]
	if s.free(l.layout.ring) < n {
		s.consumed = l.port.Load(l.layout.consumed(dst))
	}
	return s.free(l.layout.ring) >= n
}

// free returns the free bytes; 0 if the receiver claims to have consumed more than was sent.
func (s *ringSender) free(ring int) int {
	if used := s.appended - s.consumed; used <= uint64(ring) {
		return ring - int(used)
	}
	return 0
}

// push posts the record in progress until the port refuses, and reports whether it posted.
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

func (l *ringLink) nextPiece(dst dimmnet.Rank) bool {
	s := &l.senders[dst]
	n := min(s.to[0].Size-s.done, l.layout.block())
	if !l.hasSpace(dst, recordBytes(n)) {
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

func (l *ringLink) post(dst dimmnet.Rank) bool {
	s := &l.senders[dst]
	own := l.port.Rank()
	if s.posted == s.length {
		// The position goes last: when it has landed, the record has landed.
		after := s.appended + uint64(recordBytes(len(s.data)))
		if !l.port.Store(dst, l.layout.appended(own), after, wordBytes) {
			return false
		}
		s.appended, s.data, s.length = after, nil, 0
		return true
	}
	off, rest := l.layout.locate(own, s.appended+uint64(s.posted))
	n := min(len(l.scratch), rest, s.length-s.posted)
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
