package mpi

import (
	"fmt"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

// ringWatch checks the posts of all ranks. It panics if a byte of a ring is overwritten before
// its receiver has returned it. It knows the layout, but not the code of senders and receivers.
type ringWatch struct {
	mu    sync.Mutex
	rings map[[2]dimmnet.Rank]*watchedRing // by sender and receiver
}

// watchedRing is the state of a ring as its posts show it.
type watchedRing struct {
	written  uint64 // highest position
	appended uint64 // as stored by the sender
	taken    uint64 // as returned by the receiver
}

// checkRings is network with a ringWatch on all of its ports.
func checkRings(network dimmnet.Network, opts Options) dimmnet.Network {
	w := &ringWatch{rings: map[[2]dimmnet.Rank]*watchedRing{}}
	return porttest.Wrap(network, func(p dimmnet.Port) dimmnet.Port {
		l, err := newLayout(p.Limits(), p.Nodes(), opts)
		if err != nil {
			return p // Start returns the error
		}
		return &watchedPort{Port: p, watch: w, layout: l}
	})
}

type watchedPort struct {
	dimmnet.Port
	watch  *ringWatch
	layout layout
}

func (w *ringWatch) ring(src, dst dimmnet.Rank) *watchedRing {
	k := [2]dimmnet.Rank{src, dst}
	if w.rings[k] == nil {
		w.rings[k] = &watchedRing{}
	}
	return w.rings[k]
}

// noting records a post by f and makes it, so the record exists before another rank can see the
// post. If the post is refused, it calls undo. No lock is held while the port is called, because
// the call may run other ranks.
func (w *ringWatch) noting(src, dst dimmnet.Rank, f func(*watchedRing) (undo func()), post func() bool) bool {
	w.mu.Lock()
	undo := f(w.ring(src, dst))
	w.mu.Unlock()
	if post() {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	undo()
	return false
}

// Write checks that a write follows the last one in the rank's own ring and needs only free
// bytes.
func (p *watchedPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	return p.watch.noting(p.Rank(), dst, func(r *watchedRing) func() {
		before := r.written
		at, room := p.layout.locate(p.Rank(), r.written)
		if at != off {
			// the padding of a record's last word is not written
			r.written = (r.written + wordBytes - 1) &^ (wordBytes - 1)
			at, room = p.layout.locate(p.Rank(), r.written)
		}
		if at != off || len(b) > room {
			panic(fmt.Sprintf("mpi: rank %d writes %d bytes at %d of rank %d, want %d, at most %d", p.Rank(), len(b), off, dst, at, room))
		}
		r.written += uint64(len(b))
		if r.written-r.taken > uint64(p.layout.ring) {
			panic(fmt.Sprintf("mpi: rank %d overwrites its ring at rank %d: %+v", p.Rank(), dst, *r))
		}
		return func() { r.written = before }
	}, func() bool { return p.Port.Write(dst, off, b) })
}

// Store checks that a position neither goes back nor exceeds the bytes that were written.
func (p *watchedPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	own := p.Rank()
	post := func() bool { return p.Port.Store(dst, off, v, size) }
	if off == p.layout.appended(own) {
		return p.watch.noting(own, dst, func(r *watchedRing) func() {
			before := r.appended
			if v <= r.appended || v < r.written || v-r.written >= wordBytes {
				panic(fmt.Sprintf("mpi: rank %d appends to %d at rank %d: %+v", own, v, dst, *r))
			}
			r.appended = v
			return func() { r.appended = before }
		}, post)
	}
	return p.watch.noting(dst, own, func(r *watchedRing) func() {
		before := r.taken
		if off != p.layout.consumed(own) || v <= r.taken || v > r.appended {
			panic(fmt.Sprintf("mpi: rank %d stores %d at %d of rank %d: %+v", own, v, off, dst, *r))
		}
		r.taken = v
		return func() { r.taken = before }
	}, post)
}
