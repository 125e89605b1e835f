//go:build ofi && linux && cgo

package ofi

// #cgo pkg-config: libfabric
// #cgo noescape fagus_ofi_inject
// #cgo nocallback fagus_ofi_inject
// #cgo noescape fagus_ofi_poll
// #cgo nocallback fagus_ofi_poll
// #cgo nocallback fagus_ofi_send
// #cgo nocallback fagus_ofi_move
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// endpoint is an open endpoint of libfabric with its buffers and its completion queue. The fabric
// that owns it serialises all calls.
type endpoint struct {
	c               *C.fagus_ofi
	receives, sends int
	inject          int // bytes of the longest message that inject accepts
	events          [16]C.fagus_ofi_event
	released        []C.uint32_t // receive buffers to post, in order
	posted          C.size_t     // number of them that the last poll posted
}

// errAgain means that the provider has no space now: poll, and try again.
var errAgain = errors.New("try again")

func (e *endpoint) result(r C.int) error {
	switch r {
	case 0:
		return nil
	case -C.int(againNumber):
		return errAgain
	}
	return errors.New(C.GoString(C.fagus_ofi_error(r)))
}

// againNumber is FI_EAGAIN, which is EAGAIN.
const againNumber = 11

// busyNumber is FI_EBUSY, which is EBUSY.
const busyNumber = 16

// open opens an endpoint of a provider. domain may be empty: any.
func open(provider, node, domain string, receives, sends, slots int) (*endpoint, error) {
	p, n, d := C.CString(provider), C.CString(node), C.CString(domain)
	defer C.free(unsafe.Pointer(p))
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(d))
	e := &endpoint{receives: receives, sends: sends}
	var what *C.char
	r := C.fagus_ofi_open(p, n, d, C.size_t(receives), C.size_t(sends), messageBytes, &e.c, &what)
	if r == -C.int(busyNumber) && provider == "shm" {
		removeStale()
		r = C.fagus_ofi_open(p, n, d, C.size_t(receives), C.size_t(sends), messageBytes, &e.c, &what)
	}
	if err := e.result(r); err != nil {
		return nil, fmt.Errorf("%s of provider %s: %w", C.GoString(what), provider, err)
	}
	if err := e.result(C.fagus_ofi_slots(e.c, C.size_t(slots))); err != nil {
		e.close()
		return nil, fmt.Errorf("allocating the reads of provider %s: %w", provider, err)
	}
	e.inject = min(int(C.fagus_ofi_about(e.c).inject), messageBytes)
	return e, nil
}

func (e *endpoint) close() { C.fagus_ofi_close(e.c) }

// mostName is the longest address of an endpoint, in bytes.
const mostName = 512

// name returns the address of the endpoint, for insert at the peers.
func (e *endpoint) name() ([]byte, error) {
	name := make([]byte, mostName)
	n := C.size_t(len(name))
	err := e.result(C.fagus_ofi_name(e.c, unsafe.Pointer(&name[0]), &n))
	if err != nil {
		return nil, err
	}
	return name[:n], nil
}

// insert makes a peer known by its name, and returns its number for sends.
func (e *endpoint) insert(name []byte) (peer uint64, err error) {
	padded := make([]byte, mostName) // the provider reads the full length of its addresses
	copy(padded, name)
	var at C.uint64_t
	err = e.result(C.fagus_ofi_insert(e.c, unsafe.Pointer(&padded[0]), &at))
	return uint64(at), err
}

func (e *endpoint) receiveBuffer(i int) []byte {
	return unsafe.Slice((*byte)(C.fagus_ofi_receive_buffer(e.c, C.size_t(i))), messageBytes)
}

func (e *endpoint) sendBuffer(i int) []byte {
	return unsafe.Slice((*byte)(C.fagus_ofi_send_buffer(e.c, C.size_t(i))), messageBytes)
}

// release gives a receive buffer back to the provider, with the next poll.
func (e *endpoint) release(i int) { e.released = append(e.released, C.uint32_t(i)) }

func (e *endpoint) injectTo(peer uint64, p []byte) error {
	return e.result(C.fagus_ofi_inject(e.c, C.uint64_t(peer), unsafe.Pointer(&p[0]), C.size_t(len(p))))
}

func (e *endpoint) send(peer uint64, i, n int) error {
	return e.result(C.fagus_ofi_send(e.c, C.uint64_t(peer), C.size_t(i), C.size_t(n)))
}

// region is memory that peers may read, and perhaps write, until hide.
type region struct{ c unsafe.Pointer }

func (e *endpoint) expose(p []byte, writable bool) (region, exposure, error) {
	var r region
	var address, key C.uint64_t
	var writes C.int
	if writable {
		writes = 1
	}
	err := e.result(C.fagus_ofi_expose(e.c, unsafe.Pointer(&p[0]), C.size_t(len(p)), writes, &r.c, &address, &key))
	return r, exposure{uint64(address), uint64(key), uint64(len(p))}, err
}

func (r region) hide() { C.fagus_ofi_hide(r.c) }

// move begins to read remote memory into p, or to write p there. A slot has one move at a time;
// moveEnd frees its resources. mine is the region of p, or the zero value if p is not registered.
func (e *endpoint) move(peer uint64, slot int, write bool, p []byte, mine region, address, key uint64) error {
	var writes C.int
	if write {
		writes = 1
	}
	return e.result(C.fagus_ofi_move(e.c, C.uint64_t(peer), C.size_t(slot), writes, unsafe.Pointer(&p[0]), C.size_t(len(p)), mine.c, C.uint64_t(address), C.uint64_t(key)))
}

func (e *endpoint) moveEnd(slot int) { C.fagus_ofi_move_end(e.c, C.size_t(slot)) }

// completion is an operation that has ended. Exactly one of receive, send and slot is not -1,
// unless the provider does not say which operation failed.
type completion struct {
	receive, send, slot int
	n                   int // bytes received
	err                 error
}

// poll returns some completions that have arrived. The result is valid until the next poll.
func (e *endpoint) poll(into []completion) ([]completion, error) {
	e.posted = C.size_t(len(e.released))
	n := C.fagus_ofi_poll(e.c, &e.events[0], C.int(len(e.events)), unsafe.SliceData(e.released), &e.posted)
	e.released = e.released[:copy(e.released, e.released[e.posted:])]
	if n < 0 {
		return nil, e.result(n)
	}
	into = into[:0]
	for _, event := range e.events[:n] {
		c := completion{receive: -1, send: -1, slot: -1, n: int(event.length)}
		switch i := int(event.id) - 1; {
		case i < 0:
		case i < e.receives:
			c.receive = i
		case i < e.receives+e.sends:
			c.send = i - e.receives
		default:
			c.slot = i - e.receives - e.sends
		}
		if event.error != 0 {
			c.err = errors.New(C.GoString(C.fagus_ofi_error(event.error)))
			if text := C.GoString(C.fagus_ofi_provider_error(e.c, event.provider_error)); text != "" && text != c.err.Error() {
				c.err = fmt.Errorf("%w (%s)", c.err, text)
			}
		}
		into = append(into, c)
	}
	return into, nil
}
