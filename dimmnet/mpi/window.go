package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"
)

// Window is memory of every rank that the others read and write by Put, Get and Accumulate. The
// target serves them in its progress engine: while it is in some call of this package.
//
// What is put, got or accumulated happens in an epoch: between two Fences, which all ranks call, or
// between Lock and Unlock. Nothing is certain before its end, and the bytes named must rest until
// then. A rank may use its own part of the window by plain accesses when it has Locked it, or
// in an epoch of Fences in which nobody else touches the same bytes.
type Window struct {
	comm  *Comm // its own
	mem   []byte
	sizes []int // by rank, like all below

	// As an origin.
	fences  int
	held    []bool // locks
	granted []bool
	pending int               // answers that have not come, and fences that have not gone
	gets    map[uint32][]byte // by request

	// As a target.
	fenced  []int
	holders []bool
	shared  bool // how they hold it
	holding int
	waiting []waiter
}

// waiter is a rank that wants the lock.
type waiter struct {
	rank      int
	exclusive bool
}

// NewWindow makes mem, of any length, this rank's part of a window. It is collective.
func (c *Comm) NewWindow(mem []byte) (*Window, error) {
	own, err := c.Dup()
	if err != nil {
		return nil, err
	}
	n := len(own.group)
	w := &Window{
		comm:    own,
		mem:     mem,
		held:    make([]bool, n),
		granted: make([]bool, n),
		gets:    map[uint32][]byte{},
		fenced:  make([]int, n),
		holders: make([]bool, n),
	}
	c.engine.windows[own.context] = w // before anybody learns its size
	sizes := make([]byte, wordBytes*n)
	if err := own.Allgather(binary.LittleEndian.AppendUint64(nil, uint64(len(mem))), sizes); err != nil {
		return nil, err
	}
	for i := range n {
		w.sizes = append(w.sizes, int(binary.LittleEndian.Uint64(sizes[wordBytes*i:])))
	}
	return w, nil
}

// Size is how many bytes the part of rank has, which must be one of the communicator. The window
// must not have been freed.
func (w *Window) Size(rank int) int { return w.sizes[rank] }

// Free ends the window. It is collective, and a Fence.
func (w *Window) Free() error {
	if err := w.Fence(); err != nil {
		return err
	}
	delete(w.comm.engine.windows, w.comm.context)
	w.sizes = nil
	return nil
}

// live says whether there is a window.
func (w *Window) live() error {
	if w.sizes == nil {
		return errors.New("mpi: the window has been freed")
	}
	return w.comm.engine.err
}

// check says whether n bytes at offset of target's part may be named now.
func (w *Window) check(target, offset, n int) error {
	if err := w.live(); err != nil {
		return err
	}
	if err := w.comm.check(target, 0); err != nil {
		return err
	}
	if offset < 0 || offset > w.sizes[target] || n > w.sizes[target]-offset {
		return fmt.Errorf("mpi: %d bytes at %d of rank %d's window of %d", n, offset, target, w.sizes[target])
	}
	if w.fences == 0 && !w.held[target] {
		return fmt.Errorf("mpi: rank %d's window is used before the first Fence, and not locked", target)
	}
	return nil
}

// send sends a control packet of the window.
func (w *Window) send(target int, c control, data []byte, sent func()) {
	c.rank, c.context = uint16(w.comm.rank), w.comm.context
	w.comm.engine.send(w.comm.group[target], c, data, sent)
}

// pieces calls f for each piece of n bytes that goes with one control packet; unit divides all
// but the last one.
func (w *Window) pieces(n, unit int, f func(at, n int)) {
	most := w.comm.engine.link.Block() / unit * unit
	for at := 0; at < n; at += most {
		f(at, min(most, n-at))
	}
}

// Put copies p to offset of target's part, in bytes.
func (w *Window) Put(p []byte, target, offset int) error {
	if err := w.check(target, offset, len(p)); err != nil {
		return err
	}
	w.pieces(len(p), 1, func(at, n int) {
		w.send(target, control{kind: windowPut, size: uint64(offset + at)}, p[at:][:n], nil)
	})
	return nil
}

// Get copies to p what is at offset of target's part.
func (w *Window) Get(p []byte, target, offset int) error {
	if err := w.check(target, offset, len(p)); err != nil {
		return err
	}
	w.pieces(len(p), 1, func(at, n int) {
		e := w.comm.engine
		e.id++
		w.gets[e.id] = p[at:][:n]
		w.pending++
		w.send(target, control{kind: windowGet, tag: uint32(n), sender: e.id, size: uint64(offset + at)}, nil, nil)
	})
	return nil
}

// Accumulate combines p by op with the numbers at offset of target's part, in bytes. Accumulates of
// several ranks to one number happen one after the other.
func Accumulate[T Number](w *Window, p []T, target, offset int, op Op) error {
	raw := Raw(p)
	if err := w.check(target, offset, len(raw)); err != nil {
		return err
	}
	if !op.known() {
		return fmt.Errorf("mpi: Accumulate: %v", op)
	}
	var one T
	tag := uint32(op)<<8 | uint32(elementOf[T]())
	w.pieces(len(raw), int(unsafe.Sizeof(one)), func(at, n int) {
		w.send(target, control{kind: windowAdd, tag: tag, size: uint64(offset + at)}, raw[at:][:n], nil)
	})
	return nil
}

// Fence ends an epoch and begins the next: all that anybody has put, got and accumulated is done
// when it returns. It is collective. Every rank tells every other one, behind what it has sent it
// before. Who has heard that from all has got all; the barrier behind that keeps anybody from
// looking at the part of a rank that has not.
func (w *Window) Fence() error {
	if err := w.live(); err != nil {
		return err
	}
	for i, held := range w.held {
		if held {
			return fmt.Errorf("mpi: Fence while rank %d's window is locked", i)
		}
	}
	w.fences++
	for i := range w.held {
		w.pending++
		w.send(i, control{kind: windowFence}, nil, func() { w.pending-- })
	}
	next := 0
	err := w.comm.engine.wait(func() bool {
		for next < len(w.fenced) && w.fenced[next] >= w.fences {
			next++
		}
		return next == len(w.fenced) && w.pending == 0
	})
	if err != nil {
		return err
	}
	return w.comm.Barrier()
}

// Lock begins an epoch with target's part: alone if exclusive, else with others that have not asked
// to be. It waits its turn.
func (w *Window) Lock(target int, exclusive bool) error {
	if err := w.live(); err != nil {
		return err
	}
	if err := w.comm.check(target, 0); err != nil {
		return err
	}
	if w.held[target] {
		return fmt.Errorf("mpi: rank %d's window is locked by this rank", target)
	}
	tag := uint32(0)
	if exclusive {
		tag = 1
	}
	w.held[target] = true
	w.send(target, control{kind: windowLock, tag: tag}, nil, nil)
	return w.comm.engine.wait(func() bool { return w.granted[target] })
}

// Unlock ends the epoch: all is done at target when it returns.
func (w *Window) Unlock(target int) error {
	if err := w.live(); err != nil {
		return err
	}
	if err := w.comm.check(target, 0); err != nil {
		return err
	}
	if !w.held[target] {
		return fmt.Errorf("mpi: rank %d's window is not locked by this rank", target)
	}
	w.send(target, control{kind: windowUnlock}, nil, nil)
	// The answer comes behind those of all Gets, and is made behind all that came before.
	err := w.comm.engine.wait(func() bool { return !w.granted[target] })
	w.held[target] = false
	return err
}
