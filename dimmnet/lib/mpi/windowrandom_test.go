package mpi

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// The windows of a random program have two halves: slots for Put and Get, and numbers for
// Accumulate. All ranks generate the same program and compute the contents of all windows.
const (
	windowSlots = 6
	slotBytes   = 200
	windowSums  = 20
	windowBytes = windowSlots*slotBytes + 8*windowSums
)

// access is one access of a rank to another's window.
type access struct {
	origin, target int
	verb           int // 0 put, 1 get, 2 accumulate
	slot, off, n   int // in units of 8 bytes for accumulate
}

// epoch is a list of accesses. No put goes to a slot that another access uses.
func epoch(r *rand.Rand, nodes int) (list []access) {
	written := map[[2]int]bool{}
	named := map[[2]int]bool{}
	for range r.IntN(100) {
		a := access{origin: r.IntN(nodes), target: r.IntN(nodes), verb: r.IntN(3), slot: r.IntN(windowSlots)}
		a.off = r.IntN(slotBytes)
		a.n = r.IntN(slotBytes - a.off + 1)
		slot := [2]int{a.target, a.slot}
		switch {
		case a.verb == 2:
			a.off = r.IntN(windowSums)
			a.n = r.IntN(windowSums - a.off + 1)
		case written[slot] || a.verb == 0 && named[slot]:
			continue
		default:
			written[slot], named[slot] = a.verb == 0, true
		}
		list = append(list, a)
	}
	return list
}

// bytes returns the data of a put, and numbers the operands of an accumulate.
func (a *access) bytes() []byte { return noise(a.n, uint64(a.origin*1000+a.slot*10+a.off)) }

func (a *access) numbers() []int64 {
	v := make([]int64, a.n)
	for i := range v {
		v[i] = int64(a.origin - 3*i)
	}
	return v
}

// apply applies an access to the model.
func (a *access) apply(model []byte) {
	switch a.verb {
	case 0:
		copy(model[a.slot*slotBytes+a.off:], a.bytes())
	case 2:
		at := model[windowSlots*slotBytes+8*a.off:][:8*a.n]
		signed64.arithmetic().accumulate(Sum, at, Raw(a.numbers()))
	}
}

// do makes the call. It returns the buffer of a get.
func (a *access) do(w *Window) (got []byte, err error) {
	switch a.verb {
	case 0:
		return nil, w.Put(a.bytes(), a.target, a.slot*slotBytes+a.off)
	case 1:
		got = make([]byte, a.n)
		return got, w.Get(got, a.target, a.slot*slotBytes+a.off)
	}
	return nil, Accumulate(w, a.numbers(), a.target, windowSlots*slotBytes+8*a.off, Sum)
}

// randomEpochs runs a rank's part of a program: epochs of Fences, with messages between them, on
// a communicator whose ranks are numbered differently from the run's.
func randomEpochs(c *Comm, seed uint64) error {
	c, err := c.Split(0, -c.Rank())
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 2))
	own, model := make([]byte, windowBytes), make([][]byte, c.Size())
	for i := range model {
		model[i] = make([]byte, windowBytes)
	}
	w, err := c.NewWindow(own)
	if err != nil {
		return err
	}
	for k := range 6 {
		// Half of the Fences that end an epoch begin the next one.
		if k%2 == 0 {
			if !bytes.Equal(own, model[c.Rank()]) {
				return fmt.Errorf("before epoch %d, rank %d: the window differs from the model", k, c.Rank())
			}
			if err := w.Fence(); err != nil {
				return err
			}
		}
		// Until the next Fence the rank must not read its own part: others access it.
		gets := map[int][]byte{}
		list := epoch(r, c.Size())
		for i, a := range list {
			if a.origin == c.Rank() {
				if gets[i], err = a.do(w); err != nil {
					return err
				}
			}
		}
		if k%2 == 1 { // otherwise only Fence synchronizes the ranks
			if err := rootless(c, 24); err != nil {
				return err
			}
		}
		if err := w.Fence(); err != nil {
			return err
		}
		for i, a := range list {
			a.apply(model[a.target])
			if got := gets[i]; got != nil && !bytes.Equal(got, model[a.target][a.slot*slotBytes+a.off:][:a.n]) {
				return fmt.Errorf("epoch %d, %+v: got wrong bytes", k, a)
			}
		}
	}
	if err := w.Free(); err != nil {
		return err
	}
	if !bytes.Equal(own, model[c.Rank()]) {
		return fmt.Errorf("rank %d: the window differs from the model", c.Rank())
	}
	return nil
}

// TestRandomWindows compares windows with a model.
func TestRandomWindows(t *testing.T) {
	seed := rand.Uint64()
	groups := []int{1, 2, 3, 4, 5}
	if testing.Short() {
		groups = []int{3}
	}
	for _, nodes := range groups {
		everywhere(t, nodes, func(c *Comm) error {
			if err := randomEpochs(c, seed+uint64(nodes)); err != nil {
				return fmt.Errorf("seed %d, %d nodes: %w", seed, nodes, err)
			}
			return nil
		})
	}
}
