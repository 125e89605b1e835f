package mpi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func (e *engine) serve(src dimmnet.Rank, c *control) error {
	data := e.consume(src, c)
	w, rank := e.windows[c.context], int(c.rank)
	switch {
	case w == nil:
		return fmt.Errorf("packet of kind %d for window %d, which does not exist", c.kind, c.context)
	case rank >= len(w.comm.group) || w.comm.group[rank] != src:
		return fmt.Errorf("packet for window %d names rank %d as its sender, which is another rank", c.context, rank)
	}
	switch c.kind {
	case windowPut, windowGet, windowAdd:
		return w.access(rank, c, data)
	case windowReply:
		return w.reply(c, data)
	}
	if len(data) > 0 {
		return fmt.Errorf("packet of kind %d with %d bytes of data: want none", c.kind, len(data))
	}
	switch c.kind {
	case windowFence:
		w.fenced[rank]++
	case windowLock:
		w.waiting = append(w.waiting, waiter{rank, c.tag != 0})
		w.grant()
	case windowUnlock:
		if !w.holders[rank] {
			return fmt.Errorf("unlock of window %d without a lock", c.context)
		}
		w.holders[rank] = false
		w.holding--
		w.send(rank, control{kind: windowFlushed}, nil, nil)
		w.grant()
	case windowGrant, windowFlushed:
		if !w.held[rank] || w.granted[rank] == (c.kind == windowGrant) {
			return fmt.Errorf("packet of kind %d for window %d answers no request", c.kind, c.context)
		}
		w.granted[rank] = c.kind == windowGrant
	}
	return nil
}

func (w *Window) access(rank int, c *control, data []byte) error {
	n := len(data)
	if c.kind == windowGet {
		n = int(c.tag)
		if len(data) > 0 || n > w.comm.engine.link.Block() {
			return fmt.Errorf("get of %d bytes of window %d with %d bytes of data: want at most %d, and no data", n, c.context, len(data), w.comm.engine.link.Block())
		}
	}
	if c.size > uint64(len(w.mem)) || n > len(w.mem)-int(c.size) {
		return fmt.Errorf("access to %d bytes at offset %d of window %d, which has %d", n, c.size, c.context, len(w.mem))
	}
	if w.fenced[rank] == 0 && !w.holders[rank] {
		return fmt.Errorf("access to window %d outside an epoch", c.context)
	}
	target := w.mem[c.size:][:n]
	switch c.kind {
	case windowPut:
		copy(target, data)
	case windowGet:
		// The reply needs a copy, because the program may change the window before it is sent.
		w.send(rank, control{kind: windowReply, sender: c.sender}, append([]byte(nil), target...), nil)
	case windowAdd:
		op, numbers := Op(c.tag>>8), element(c.tag).arithmetic()
		if c.tag>>16 != 0 || !op.known() || numbers.size == 0 || n%numbers.size != 0 {
			return fmt.Errorf("accumulate of %d bytes with invalid operation and type %#x", n, c.tag)
		}
		numbers.accumulate(op, target, data)
	}
	return nil
}

func (w *Window) reply(c *control, data []byte) error {
	p, ok := w.gets[c.sender]
	if !ok || len(p) != len(data) {
		return fmt.Errorf("reply of %d bytes to get %d of window %d: want %d", len(data), c.sender, c.context, len(p))
	}
	copy(p, data)
	delete(w.gets, c.sender)
	w.pending--
	return nil
}

// grant grants the lock to the ranks at the head of the queue that can hold it now.
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
