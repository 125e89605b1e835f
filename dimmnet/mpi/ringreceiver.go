package mpi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// ringReceiver is the receiving end of the ring from one rank.
type ringReceiver struct {
	appended uint64 // by the sender, as last seen
	position uint64 // of the first record that is not taken
	given    uint64 // the position that the sender knows

	// The record at position, if there is one.
	found   bool
	control Control
}

// look gives places back to src, looks for a record and does what the link does by itself.
func (l *ringLink) look(src dimmnet.Rank) (progress bool, err error) {
	r := &l.rings[src]
	if r.position-r.given >= uint64(l.layout.lazy()) {
		if l.port.Store(src, l.layout.taken(l.port.Rank()), r.position, wordBytes) {
			r.given, progress = r.position, true
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
		if n := appended - r.given; appended < r.appended || n > uint64(l.layout.ring) || n%wordBytes != 0 {
			return false, fmt.Errorf("mpi: ring of rank %d: position %d after %d, given back %d of %d", src, appended, r.appended, r.given, l.layout.ring)
		}
		r.appended = appended
	}
	if r.appended-r.position < ControlBytes {
		return false, fmt.Errorf("mpi: ring of rank %d: a record of %d bytes", src, r.appended-r.position)
	}
	l.read(src, r.position, r.control[:])
	if n := r.control.Data(); n > l.layout.block() || uint64(recordBytes(n)) > r.appended-r.position {
		return false, fmt.Errorf("mpi: ring of rank %d: a record with %d bytes of data, %d bytes are there", src, n, r.appended-r.position)
	}
	if kind(r.control[0]) == remoteWrite {
		return true, l.land(src)
	}
	r.found = true
	return true, nil
}

// land moves a piece of what src writes to its place.
func (l *ringLink) land(src dimmnet.Rank) error {
	r := &l.rings[src]
	c, err := decode(&r.control)
	if err != nil {
		return fmt.Errorf("mpi: rank %d: %w", src, err)
	}
	x := l.exposed[c.receiver]
	if x == nil || x.src != src {
		return fmt.Errorf("mpi: rank %d writes to %d, which is not exposed to it", src, c.receiver)
	}
	if c.size != uint64(x.written) || c.data == 0 || int(c.data) > len(x.p)-x.written {
		return fmt.Errorf("mpi: rank %d writes %d bytes at %d, behind %d of %d", src, c.data, c.size, x.written, len(x.p))
	}
	l.read(src, r.position+ControlBytes, x.p[x.written:][:c.data])
	x.written += int(c.data)
	l.advance(src)
	return nil
}

// advance frees the place of the record found.
func (l *ringLink) advance(src dimmnet.Rank) {
	r := &l.rings[src]
	r.position += uint64(recordBytes(r.control.Data()))
	r.found = false
}

// read copies len(p) bytes from position pos of src's ring.
func (l *ringLink) read(src dimmnet.Rank, pos uint64, p []byte) {
	for len(p) > 0 {
		off, room := l.layout.place(src, pos)
		n := min(len(p), room)
		l.port.Read(p[:n], off)
		p, pos = p[n:], pos+uint64(n)
	}
}
