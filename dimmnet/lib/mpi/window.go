package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"
)

// Window is memory of every rank that other ranks access by Put, Get and Accumulate. The
// target's progress engine serves them while the target is in a call of this package.
//
// Accesses happen in an epoch: between two Fences, which all ranks call, or between Lock and
// Unlock. They are complete at the end of the epoch; until then the program must not use their
// buffers. A rank may access its own part directly while it has locked it, or in an epoch of
// Fences in which no other rank accesses the same bytes.
type Window struct {
	comm  *Comm // the window's own communicator
	mem   []byte
	sizes []int // sizes of the parts, by rank; the other slices are by rank too

	// State as an origin of accesses.
	fences  int               // number of Fences called
	held    []bool            // locks requested and not released
	granted []bool            // locks granted by the target
	pending int               // Gets without a reply, and fences not yet sent
	gets    map[uint32][]byte // buffer of each piece of a Get, by request id

	// State as a target of accesses.
	fenced  []int    // number of fences received
	holders []bool   // ranks that hold the lock
	shared  bool     // the holders share the lock
	holding int      // number of holders
	waiting []waiter // lock requests in the order received
}

type waiter struct {
	rank      int
	exclusive bool
}

// NewWindow makes mem, of at most MaxBytes, this rank's part of a new window. It is collective.
func (c *Comm) NewWindow(mem []byte) (*Window, error) {
	if len(mem) > MaxBytes {
		return nil, c.engine.fail(fmt.Errorf("mpi: make a window of %d bytes: want at most %d", len(mem), MaxBytes))
	}
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
	c.engine.windows[own.context] = w // before another rank can learn the size
	sizes := make([]byte, wordBytes*n)
	if err := own.Allgather(binary.LittleEndian.AppendUint64(nil, uint64(len(mem))), sizes); err != nil {
		return nil, err
	}
	for i := range n {
		w.sizes = append(w.sizes, int(binary.LittleEndian.Uint64(sizes[wordBytes*i:])))
	}
	return w, nil
}

// Size returns the bytes of rank's part. It must not be called after Free.
func (w *Window) Size(rank int) int { return w.sizes[rank] }

// Free ends the window with a Fence. It is collective.
func (w *Window) Free() error {
	if err := w.Fence(); err != nil {
		return err
	}
	delete(w.comm.engine.windows, w.comm.context)
	w.sizes = nil
	return nil
}

func (w *Window) live() error {
	if w.sizes == nil {
		return errors.New("mpi: the window has been freed")
	}
	return w.comm.engine.err
}

// check returns an error unless the rank may now access n bytes at offset of target's part.
func (w *Window) check(target, offset, n int) error {
	if err := w.live(); err != nil {
		return err
	}
	if err := w.comm.check(target, 0); err != nil {
		return err
	}
	if offset < 0 || offset > w.sizes[target] || n > w.sizes[target]-offset {
		return fmt.Errorf("mpi: access %d bytes at offset %d of rank %d's part of a window, which has %d", n, offset, target, w.sizes[target])
	}
	if w.fences == 0 && !w.held[target] {
		return fmt.Errorf("mpi: access rank %d's part of a window outside an epoch: call Fence or Lock first", target)
	}
	return nil
}

func (w *Window) send(target int, c control, data []byte, sent func()) {
	c.rank, c.context = uint16(w.comm.rank), w.comm.context
	w.comm.engine.send(w.comm.group[target], c, data, sent)
}

// pieces calls f for every piece of n bytes that a packet can carry. unit divides the size of every
// piece except the last.
func (w *Window) pieces(n, unit int, f func(at, n int)) {
	most := w.comm.engine.link.Block() / unit * unit
	for at := 0; at < n; at += most {
		f(at, min(most, n-at))
	}
}

// Put copies p to offset, in bytes, of target's part.
func (w *Window) Put(p []byte, target, offset int) error {
	if err := w.check(target, offset, len(p)); err != nil {
		return err
	}
	w.pieces(len(p), 1, func(at, n int) {
		w.send(target, control{kind: windowPut, size: uint64(offset + at)}, p[at:][:n], nil)
	})
	return nil
}

// Get copies to p from offset, in bytes, of target's part.
func (w *Window) Get(p []byte, target, offset int) error {
	if err := w.check(target, offset, len(p)); err != nil {
		return err
	}
	w.pieces(len(p), 1, func(at, n int) {
		e := w.comm.engine
		id := unused(&e.id, w.gets)
		w.gets[id] = p[at:][:n]
		w.pending++
		w.send(target, control{kind: windowGet, tag: uint32(n), sender: id, size: uint64(offset + at)}, nil, nil)
	})
	return nil
}

// Accumulate combines p by op with the numbers at offset, in bytes, of target's part.
// Accumulates of several ranks to one number are atomic.
func Accumulate[T Number](w *Window, p []T, target, offset int, op Op) error {
	raw := Raw(p)
	if err := w.check(target, offset, len(raw)); err != nil {
		return err
	}
	if !op.known() {
		return fmt.Errorf("mpi: Accumulate by %v: want Sum, Product, Min, Max or Replace", op)
	}
	var one T
	tag := uint32(op)<<8 | uint32(elementOf[T]())
	w.pieces(len(raw), int(unsafe.Sizeof(one)), func(at, n int) {
		w.send(target, control{kind: windowAdd, tag: tag, size: uint64(offset + at)}, raw[at:][:n], nil)
	})
	return nil
}

// Fence ends an epoch and begins the next. When it returns, all accesses of all ranks are
// complete. It is collective. Every rank sends a fence to every other rank, after its accesses. A
// rank that has received all fences has received all accesses to its part. The barrier at the end
// keeps peers from accessing the part earlier.
func (w *Window) Fence() error {
	if err := w.live(); err != nil {
		return err
	}
	for i, held := range w.held {
		if held {
			return fmt.Errorf("mpi: Fence while this rank holds the lock of rank %d's part: call Unlock first", i)
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

// Lock begins an epoch with target's part, when the lock is free. An exclusive lock excludes all
// other ranks; a shared lock excludes only exclusive locks.
func (w *Window) Lock(target int, exclusive bool) error {
	if err := w.live(); err != nil {
		return err
	}
	if err := w.comm.check(target, 0); err != nil {
		return err
	}
	if w.held[target] {
		return fmt.Errorf("mpi: Lock rank %d's part of a window: this rank already holds its lock", target)
	}
	tag := uint32(0)
	if exclusive {
		tag = 1
	}
	w.held[target] = true
	w.send(target, control{kind: windowLock, tag: tag}, nil, nil)
	return w.comm.engine.wait(func() bool { return w.granted[target] })
}

// Unlock ends the epoch. When it returns, all accesses are complete at target.
func (w *Window) Unlock(target int) error {
	if err := w.live(); err != nil {
		return err
	}
	if err := w.comm.check(target, 0); err != nil {
		return err
	}
	if !w.held[target] {
		return fmt.Errorf("mpi: Unlock rank %d's part of a window: this rank does not hold its lock", target)
	}
	w.send(target, control{kind: windowUnlock}, nil, nil)
	// The answer follows the replies to all Gets. The target sends it after all earlier accesses.
	err := w.comm.engine.wait(func() bool { return !w.granted[target] })
	w.held[target] = false
	return err
}
