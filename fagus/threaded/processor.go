package threaded

import (
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// process is the receive-processing thread. When the run is over it stops the
// receive thread.
func (e *Engine) process(h dimmnet.Host) error {
	for {
		var batch []incoming
		over := false
		err := e.await(process, func() bool {
			if len(e.in) >= inRoom {
				e.wake(receive)
			}
			batch, e.in = e.in, nil
			over = len(batch) == 0 && (e.ended || e.closed)
			return len(batch) > 0 || over
		})
		if err != nil {
			return err
		}
		if over {
			s := &stopper{port: h.Port(), at: e.stop}
			err := dimmnet.Drive(s.port, s, func() bool { return s.posted })
			if err == nil && e.notices {
				h.Notify(e.rank)
			}
			return err
		}
		for _, in := range batch {
			var err error
			if e.locked(func() bool { err = e.act(in); return true }); err != nil {
				return fmt.Errorf("threaded: at rank %d: %w", e.rank, err)
			}
		}
	}
}

// stopper writes the stop word of the own node.
type stopper struct {
	port   dimmnet.Port
	at     dimmnet.Offset
	posted bool
}

// Step posts it.
func (s *stopper) Step() (bool, error) {
	s.posted = s.posted || s.port.Store(s.port.Rank(), s.at, 1, dimmnet.WordBytes)
	return s.posted, nil
}

// act acts on what was in a slot, under the lock.
func (e *Engine) act(in incoming) error {
	switch in.head.Kind {
	case ringbuf.Control:
		m, err := decode(in.body, e.nodes)
		if err != nil {
			return fmt.Errorf("rank %d sent %w", in.from, err)
		}
		return e.handle(in.from, m)
	case ringbuf.Data:
		return e.takeData(in)
	case ringbuf.List:
		return e.takeWords(in)
	}
	return fmt.Errorf("rank %d sent a slot of kind %d", in.from, in.head.Kind)
}

// handle acts on a message, which may be this rank's own, under the lock.
func (e *Engine) handle(from dimmnet.Rank, m message) error {
	switch m.op {
	case request:
		return e.requested(from, m)
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

// queue puts a message to a peer into the queue out, or acts on it at once if it is
// to this rank. The lock is held.
func (e *Engine) queue(out outgoing) error {
	if out.to == e.rank {
		return e.handle(e.rank, out.m)
	}
	if len(e.out) >= e.most {
		return fmt.Errorf("%d messages wait to be sent: a rank asks for more than it may", len(e.out))
	}
	e.out = append(e.out, out)
	e.wake(send)
	return nil
}

// takeData copies what was in a slot to its place.
func (e *Engine) takeData(in incoming) error {
	lo := consistency.Addr(in.head.Addr)
	r := consistency.Range{Lo: lo, Hi: lo + consistency.Addr(in.head.Len)}
	st := e.streams[in.from]
	id, place, err := e.space.Guard(r)
	if err != nil {
		return fmt.Errorf("data of rank %d: %w", in.from, err)
	}
	if st == nil || st.ID != id {
		return fmt.Errorf("rank %d sent data of %q, which are not due from it", in.from, e.space.Name(id))
	}
	if err := e.space.Follow(st, consistency.Cut{Range: r, Age: in.head.Age}, in.head.Last); err != nil {
		return fmt.Errorf("rank %d sent %w", in.from, err)
	}
	if e.closed { // the memory is gone
		return nil
	}
	copy(place, in.body)
	if st.Complete {
		e.space.Accept(id, st.Pieces())
		e.streams[in.from] = nil
		e.complete(id)
	}
	return nil
}
