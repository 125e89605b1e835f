package threaded

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// process is the receive-processing thread. At the end of the run it stops the receive thread.
func (e *Engine) process(h dimmnet.Host) error {
	for {
		var batch []incoming
		over := false
		err := e.await(process, func() bool {
			if len(e.in) >= inLimit {
				e.wake(receive)
			}
			batch, e.in = e.in, nil
			over = len(batch) == 0 && (e.meeting.ended || e.closed)
			return len(batch) > 0 || over
		})
		if err != nil {
			return err
		}
		if over {
			err := store(h.Port(), e.rank, e.stop, 1)
			if err == nil && e.cfg.Notices {
				h.Notify(e.rank)
			}
			return err
		}
		for _, in := range batch {
			h.Charge(dimmnet.Entry, 1)
			if in.head.Kind == ringbuf.Data {
				h.Charge(dimmnet.Copy, in.head.Len)
			}
			err := e.prepare(h.Port(), in)
			if err != nil {
				return err
			}
			if e.locked(func() bool { err = e.handleSlot(in); e.serving = 0; return true }); err != nil {
				return e.failure(err)
			}
		}
	}
}

// failure returns err, the error of a message, with the rank that received it. If the program is
// to blame, err already names the ranks.
func (e *Engine) failure(err error) error {
	var m *syncvar.Mismatch
	var d *consistency.Difference
	if errors.As(err, &m) || errors.As(err, &d) {
		return err
	}
	return fmt.Errorf("threaded: at rank %d: %w", e.rank, err)
}

// handleSlot handles the contents of a slot. The lock is held.
func (e *Engine) handleSlot(in incoming) error {
	switch in.head.Kind {
	case ringbuf.Control:
		m, err := decode(in.body, e.nodes)
		if err != nil {
			return fmt.Errorf("rank %d sent %w", in.from, err)
		}
		return e.handle(in.from, m)
	case ringbuf.Data:
		return e.receiveData(in)
	case ringbuf.List:
		return e.receiveWords(in)
	}
	return fmt.Errorf("rank %d sent a slot of kind %d", in.from, in.head.Kind)
}

// handle handles a message, which may be this rank's own. The lock is held.
func (e *Engine) handle(from dimmnet.Rank, m message) error {
	switch m.op {
	case request:
		return e.requested(from, m)
	case pass:
		return e.passOn(from, m)
	case release:
		return e.released(from, m)
	case grant:
		return e.granted(from, m)
	case arrive:
		return e.arrived(from, m)
	case leave:
		return e.left(from, m)
	}
	panic(fmt.Sprintf("threaded: message %+v", m))
}

// queue appends a message to the out queue. It handles a message to this rank itself at once. The
// lock is held.
func (e *Engine) queue(out outgoing) error {
	if out.to == e.rank {
		return e.handle(e.rank, out.m)
	}
	if len(e.out) >= e.most {
		return fmt.Errorf("%d messages wait to be sent: a rank has more open requests than the protocol allows", len(e.out))
	}
	if out.stream != nil {
		e.flowing++
	}
	e.out = append(e.out, out)
	e.wake(send)
	return nil
}

func (e *Engine) receiveData(in incoming) error {
	lo := consistency.Addr(in.head.Addr)
	r := consistency.Range{Lo: lo, Hi: lo + consistency.Addr(in.head.Len)}
	id, mem, err := e.space.Guard(r)
	if err != nil {
		return fmt.Errorf("data of rank %d: %w", in.from, err)
	}
	w := e.wanted[id]
	if w == nil || w.state != wantData || w.from != in.from {
		return fmt.Errorf("rank %d sent data of %q, which are not due from it", in.from, e.space.Name(id))
	}
	st := w.stream
	if err := e.space.Follow(st, consistency.Cut{Range: r, Age: in.head.Age}, in.head.Last); err != nil {
		return fmt.Errorf("rank %d sent %w", in.from, err)
	}
	if e.closed {
		return nil
	}
	copy(mem, in.body)
	e.unpark(w)
	if st.Complete {
		e.space.Accept(id, st.Pieces())
		e.complete(id)
	}
	return nil
}
