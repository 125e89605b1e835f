package mpi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

type ringReceiver struct {
	appended uint64 // the sender's position when it was last read
	position uint64 // position of the first record that is not consumed
	reported uint64 // position that the sender was last told

	// The record at position, if found.
	found   bool
	control Control
}

// poll reports the position to src, polls for a record, and handles pieces of writes.
func (l *ringLink) poll(src dimmnet.Rank) (progress bool, err error) {
	r := &l.rings[src]
	if r.position-r.reported >= uint64(l.layout.lazy()) {
		if l.port.Store(src, l.layout.consumed(l.port.Rank()), r.position, wordBytes) {
			r.reported, progress = r.position, true
		}
	}
	if r.found {
		return progress, nil
	}
	if r.position == r.appended {
		appended := l.port.Load(l.layout.appended(src))
		if appended == r.appended {
			return progress, nil
		}
		if n := appended - r.reported; appended < r.appended || n > uint64(l.layout.ring) || n%wordBytes != 0 {
			return false, fmt.Errorf("mpi: ring from rank %d: position %d after %d: want at most %d, and whole words",
				src, appended, r.appended, r.reported+uint64(l.layout.ring))
		}
		r.appended = appended
	}
	if r.appended-r.position < ControlBytes {
		return false, fmt.Errorf("mpi: ring from rank %d: record of %d bytes: want at least %d", src, r.appended-r.position, ControlBytes)
	}
	l.read(src, r.position, r.control[:])
	if n := r.control.Data(); n > l.layout.block() || uint64(recordBytes(n)) > r.appended-r.position {
		return false, fmt.Errorf("mpi: ring from rank %d: record with %d bytes of data: the ring holds %d bytes of it", src, n, r.appended-r.position)
	}
	if kind(r.control[0]) == remoteWrite {
		return true, l.landPiece(src)
	}
	r.found = true
	return true, nil
}

func (l *ringLink) landPiece(src dimmnet.Rank) error {
	r := &l.rings[src]
	c, err := decode(&r.control)
	if err != nil {
		return fmt.Errorf("mpi: packet from rank %d: %w", src, err)
	}
	x := l.exposed[c.receiver]
	if x == nil || x.src != src {
		return fmt.Errorf("mpi: rank %d writes to address %d, which is not exposed to it", src, c.receiver)
	}
	if c.size != uint64(x.written) || c.data == 0 || int(c.data) > len(x.p)-x.written {
		return fmt.Errorf("mpi: rank %d writes %d bytes at offset %d: want a part of the rest, from %d to %d", src, c.data, c.size, x.written, len(x.p))
	}
	l.read(src, r.position+ControlBytes, x.p[x.written:][:c.data])
	x.written += int(c.data)
	l.advance(src)
	return nil
}

func (l *ringLink) advance(src dimmnet.Rank) {
	r := &l.rings[src]
	r.position += uint64(recordBytes(r.control.Data()))
	r.found = false
}

func (l *ringLink) read(src dimmnet.Rank, pos uint64, p []byte) {
	for len(p) > 0 {
		off, rest := l.layout.locate(src, pos)
		n := min(len(p), rest)
		l.port.Read(p[:n], off)
		p, pos = p[n:], pos+uint64(n)
	}
}
