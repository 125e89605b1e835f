package movement

import (
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// rings is the method of the papers: every slot of a ring holds a piece of a variable, which the
// receiver copies to its address. The method has no state of its own between slots.
type rings struct {
	queued
	mover *Mover
}

func (m *rings) slots() (ringbuf.Kind, int) { return ringbuf.Data, m.mover.Layout.SlotBytes }
func (m *rings) ends(peer dimmnet.Rank) (dataSender, dataReceiver) {
	return ringSender{m.mover}, ringReceiver{m.mover, peer}
}

type ringSender struct{ mover *Mover }

func (s ringSender) ready() bool   { return true }
func (s ringSender) pending() bool { return false }
func (s ringSender) step() bool    { return false }
func (s ringSender) reading() bool { return false }

func (s ringSender) slot(t *outTransfer) (ringbuf.Header, []byte) {
	c := t.stream.Cuts[t.next]
	t.next++
	s.mover.Charge(dimmnet.Give, c.Len())
	return ringbuf.Header{Kind: ringbuf.Data, Addr: uint64(c.Lo), Len: c.Len(), Age: c.Age}, s.mover.Space.Bytes(c.Range)
}

type ringReceiver struct {
	mover *Mover
	from  dimmnet.Rank
}

func (r ringReceiver) step() (progress, blocked bool, err error) { return false, false, nil }
func (r ringReceiver) pending() bool                             { return false }

func (r ringReceiver) accept(ring *ringbuf.Receiver, h ringbuf.Header) error {
	lo := consistency.Addr(h.Addr)
	c := consistency.Cut{Range: consistency.Range{Lo: lo, Hi: lo + consistency.Addr(h.Len)}, Age: h.Age}
	_, mem, err := r.mover.follow(r.from, c, h.Last)
	if err != nil {
		return err
	}
	ring.Take(mem)
	r.mover.Charge(dimmnet.Take, len(mem))
	return nil
}
