package threaded

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// incoming is what was in a slot.
type incoming struct {
	from dimmnet.Rank
	head ringbuf.Header
	body []byte
}

// inRoom is how many slots may wait to be acted on before the receive thread
// leaves further ones in the rings.
const inRoom = 64

// receiver is the receive thread: it polls all rings, at any time or when notices
// have told it to.
type receiver struct {
	h       dimmnet.Host
	port    dimmnet.Port
	peers   []dimmnet.Rank
	rings   []*ringbuf.Receiver // of the peers
	stop    dimmnet.Offset
	got     []incoming
	taken   uint64 // slots, each of which has its notice
	stopped bool
}

func (e *Engine) receive(h dimmnet.Host) error {
	r := &receiver{h: h, port: h.Port(), stop: e.stop}
	for peer := range dimmnet.Rank(e.nodes) {
		if peer != e.rank {
			r.peers = append(r.peers, peer)
			r.rings = append(r.rings, ringbuf.NewReceiver(r.port, &e.layout, peer))
		}
	}
	for {
		if e.notices && r.h.Notices() <= r.taken { // nothing is announced that has not come
			if err := r.h.Notice().Wait(); err != nil {
				return err
			}
			if r.h.Notices() <= r.taken && r.port.Load(r.stop) == 0 {
				continue // that slot was taken before its notice came
			}
		}
		if err := dimmnet.Drive(r.port, r, func() bool { return len(r.got) > 0 || r.stopped }); err != nil || r.stopped {
			return err
		}
		r.taken += uint64(len(r.got))
		done := r.port.Counters()
		err := e.await(receive, func() bool {
			e.counters[receive] = done
			if len(e.in) >= inRoom {
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

// Step empties one slot of every ring that has one. The stop word is polled like
// the flags, so that a step sees nothing but the LLCM.
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
