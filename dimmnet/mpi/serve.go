package mpi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// serve handles a packet of a window.
func (e *engine) serve(src dimmnet.Rank, c *control) error {
	data := e.take(src, c)
	w, rank := e.windows[c.context], int(c.rank)
	switch {
	case w == nil:
		return fmt.Errorf("a packet of kind %d for a window that is not there, %d", c.kind, c.context)
	case rank >= len(w.comm.group) || w.comm.group[rank] != src:
		return fmt.Errorf("a packet for window %d from its rank %d: it is not that rank", c.context, rank)
	}
	switch c.kind {
	case windowPut, windowGet, windowAdd:
		return w.access(rank, c, data)
	case windowReply:
		return w.reply(c, data)
	}
	if len(data) > 0 {
		return fmt.Errorf("a packet of kind %d with %d bytes of data", c.kind, len(data))
	}
	switch c.kind {
	case windowFence:
		w.fenced[rank]++
	case windowLock:
		w.waiting = append(w.waiting, waiter{rank, c.tag != 0})
		w.grant()
	case windowUnlock:
		if !w.holders[rank] {
			return fmt.Errorf("it unlocks window %d, which it has not locked", c.context)
		}
		w.holders[rank] = false
		w.holding--
		w.send(rank, control{kind: windowFlushed}, nil, nil)
		w.grant()
	case windowGrant, windowFlushed:
		if !w.held[rank] || w.granted[rank] == (c.kind == windowGrant) {
			return fmt.Errorf("a packet of kind %d for window %d, unasked", c.kind, c.context)
		}
		w.granted[rank] = c.kind == windowGrant
	}
	return nil
}

// access does what rank has asked for at this rank's part.
func (w *Window) access(rank int, c *control, data []byte) error {
	n := len(data)
	if c.kind == windowGet {
		n = int(c.tag)
		if len(data) > 0 || n > w.comm.engine.link.Block() {
			return fmt.Errorf("it gets %d bytes of window %d, with %d bytes of data", n, c.context, len(data))
		}
	}
	if c.size > uint64(len(w.mem)) || n > len(w.mem)-int(c.size) {
		return fmt.Errorf("%d bytes at %d of window %d, which has %d", n, c.size, c.context, len(w.mem))
	}
	if w.fenced[rank] == 0 && !w.holders[rank] {
		return fmt.Errorf("it uses window %d outside of an epoch", c.context)
	}
	place := w.mem[c.size:][:n]
	switch c.kind {
	case windowPut:
		copy(place, data)
	case windowGet:
		// A copy: what the program writes here later is not what was asked for.
		w.send(rank, control{kind: windowReply, sender: c.sender}, append([]byte(nil), place...), nil)
	case windowAdd:
		op, k := Op(c.tag>>8), element(c.tag)
		if c.tag>>16 != 0 || !op.known() || k.size() == 0 || n%k.size() != 0 {
			return fmt.Errorf("it accumulates %d bytes by %#x", n, c.tag)
		}
		accumulate(op, k, place, data)
	}
	return nil
}

// reply takes the answer to a Get.
func (w *Window) reply(c *control, data []byte) error {
	p, ok := w.gets[c.sender]
	if !ok || len(p) != len(data) {
		return fmt.Errorf("%d bytes for request %d of window %d, want %d", len(data), c.sender, c.context, len(p))
	}
	copy(p, data)
	delete(w.gets, c.sender)
	w.pending--
	return nil
}

// grant gives the lock to those whose turn it is.
func (w *Window) grant() {
	for len(w.waiting) > 0 {
		next := w.waiting[0]
		if w.holding > 0 && (next.exclusive || !w.shared) || w.holders[next.rank] {
			return
		}
		w.waiting = w.waiting[1:]
		w.holders[next.rank], w.shared = true, !next.exclusive
		w.holding++
		w.send(next.rank, control{kind: windowGrant}, nil, nil)
	}
}
