package threaded

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

type incoming struct {
	from dimmnet.Rank
	head ringbuf.Header
	body []byte
}

// While the in queue has inLimit slots, the receive thread leaves further slots in the rings.
const inLimit = 64

// receiver is the receive thread. It polls all rings, without a pause or after each notice.
type receiver struct {
	h       dimmnet.Host
	port    dimmnet.Port
	peers   []dimmnet.Rank
	rings   []*ringbuf.Receiver // by index in peers
	stop    dimmnet.Offset      // of the stop word
	got     []incoming          // the slots received and not yet queued
	taken   uint64              // the number of slots received so far; each has its notice
	stopped bool
}

func newReceiver(e *Engine, h dimmnet.Host) *receiver {
	r := &receiver{h: h, port: h.Port(), stop: e.stop}
	for i := range e.nodes {
		if peer := dimmnet.Rank(i); peer != e.rank {
			r.peers = append(r.peers, peer)
			r.rings = append(r.rings, ringbuf.NewReceiver(r.port, &e.layout, peer))
		}
	}
	return r
}

// receive is the receive thread.
func (e *Engine) receive(h dimmnet.Host) error {
	r := newReceiver(e, h)
	for {
		if e.cfg.Notices && r.h.Notices() <= r.taken { // all announced slots have been taken
			if err := r.h.Notice().Wait(); err != nil {
				return err
			}
			if r.h.Notices() <= r.taken && r.port.Load(r.stop) == 0 {
				continue // an earlier poll took the slot of this notice
			}
		}
		if err := dimmnet.Drive(r.port, r, func() bool { return len(r.got) > 0 || r.stopped }); err != nil || r.stopped {
			return err
		}
		r.taken += uint64(len(r.got))
		if e.cfg.Notices {
			h.Charge(dimmnet.Notice, len(r.got))
		}
		done := r.port.Counters()
		err := e.await(receive, func() bool {
			e.helpers.counters[receive] = done
			if len(e.in) >= inLimit {
				return false
			}
			e.in = append(e.in, r.got...)
			e.wake(process)
			return true
		})
		if err != nil {
			return err
		}
		r.got = r.got[:0]
	}
}

// Step empties one slot of every ring that has a full slot. It polls the stop word like the flags,
// so that the result of a step depends on the LLCM only.
func (r *receiver) Step() (progress bool, err error) {
	for i, ring := range r.rings {
		if ring.Step() {
			progress = true
		}
		h, arrived, err := ring.Poll()
		if err != nil {
			return false, err
		}
		if !arrived {
			continue
		}
		body := make([]byte, h.Len)
		ring.Take(body)
		r.got = append(r.got, incoming{r.peers[i], h, body})
		progress = true
	}
	if r.port.Load(r.stop) != 0 {
		r.stopped, progress = true, true
	}
	return progress, nil
}
