//go:build ofi && linux && cgo

package ofi

import (
	"fmt"
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

// window is the NIC memory of this rank, registered for the peers: the LLCM and the bulk memory.
type window struct {
	nic     memory.NIC
	bytes   [2][]byte
	regions [2]region
	places  [2]exposure // for the peers
	pinner  runtime.Pinner
}

// openWindow allocates and registers NIC memory.
func (e *endpoint) openWindow(llcm, bulk int) (*window, error) {
	w := &window{nic: memory.NewNIC(llcm, bulk)}
	w.bytes = [2][]byte{w.nic.LLCM.Bytes(), w.nic.Network.Bytes()}
	for i, b := range w.bytes {
		if len(b) == 0 {
			continue
		}
		w.pinner.Pin(&b[0])
		var err error
		if w.regions[i], w.places[i], err = e.expose(b, true); err != nil {
			w.close()
			return nil, fmt.Errorf("registering %d bytes of NIC memory: %w", len(b), err)
		}
	}
	return w, nil
}

func (w *window) close() {
	for _, r := range w.regions {
		r.hide()
	}
	w.pinner.Unpin()
}

// locate returns the part of NIC memory with n bytes at off, and the offset in that part.
func locate(places *[2]exposure, off dimmnet.Offset, n int) (part int, at uint64) {
	at = uint64(off)
	if at >= places[0].n {
		part, at = 1, at-places[0].n
	}
	if at+uint64(n) > places[part].n {
		panic(fmt.Sprintf("ofi: %d bytes at offset %d of NIC memory with %d and %d bytes", n, off, places[0].n, places[1].n))
	}
	return part, at
}

// mostMoves bounds the Puts and Gets in progress of a rank.
const mostMoves = 64

// mover is a Put or a Get in progress.
type mover struct {
	link *link // nil: the slot is free
	id   int
}

// remote is the stream.Remote of a link.
type remote struct{ *link }

// Put implements stream.Remote.
func (r remote) Put(id int, from, to dimmnet.Offset, n int) (begun, able bool) {
	return r.move(id, true, from, to, n)
}

// Get implements stream.Remote.
func (r remote) Get(id int, from, to dimmnet.Offset, n int) (begun, able bool) {
	return r.move(id, false, to, from, n)
}

// move copies between own, an offset in this rank's NIC memory, and far, an offset in the peer's.
func (r remote) move(id int, put bool, own, far dimmnet.Offset, n int) (begun, able bool) {
	l, f := r.link, r.f
	f.lock()
	defer f.mu.Unlock()
	if f.unable || l.failure() != nil {
		return false, !f.unable
	}
	slot := 0
	for slot < mostMoves && f.movers[slot].link != nil {
		slot++
	}
	if slot == mostMoves {
		return false, true
	}
	w := f.window
	mine, at := locate(&w.places, own, n)
	theirs, there := locate(&l.places, far, n)
	p := &l.places[theirs]
	err := f.ep.move(l.peer, len(f.links)+slot, put, w.bytes[mine][at:][:n], w.regions[mine], p.address+there, p.key)
	switch {
	case err == errAgain:
		f.progress()
		return false, true
	case err != nil && l.moves == 0:
		f.unable = true // the provider lacks this operation: everything goes through messages
		return false, false
	case err != nil:
		l.fail(err)
		return false, true
	}
	l.moves++
	f.movers[slot] = mover{l, id}
	return true, true
}

// moveDone records the end of the Put or Get in a slot.
func (f *fabric) moveDone(slot int, err error) {
	m := f.movers[slot]
	f.movers[slot] = mover{}
	if err != nil {
		m.link.fail(err)
		return
	}
	m.link.moved = append(m.link.moved, m.id)
}

// Moved implements stream.Remote.
func (r remote) Moved() (id int, ok bool) {
	r.f.lock()
	defer r.f.mu.Unlock()
	if len(r.moved) == 0 {
		return 0, false
	}
	id = r.moved[0]
	r.moved = r.moved[:copy(r.moved, r.moved[1:])]
	return id, true
}
