package cluster

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// exchange gives this rank's share to all and returns those of all. A call that fails
// fails the job: some ranks have made it and some have not, which cannot be mended.
func (h *member) exchange(ctx context.Context, kind kind, own share) ([]share, error) {
	h.calls.Lock()
	defer h.calls.Unlock()
	if h.closed {
		return nil, fmt.Errorf("cluster: rank %d calls %v after Close", h.Rank(), kind)
	}
	if err := h.failure(); err != nil {
		return nil, err
	}
	h.call++
	giveUp := func() {
		h.fail(h.Rank(), fmt.Errorf("cluster: rank %d (%s) gives up %v: %w", h.Rank(), h.own.who(), kind, dimmnet.ContextErr(ctx)))
	}
	if ctx.Err() != nil {
		giveUp()
		return nil, h.failure()
	}
	defer context.AfterFunc(ctx, giveUp)()
	all := batch{call: h.call, kind: kind, shares: make([]share, h.Size())}
	all.shares[h.Rank()] = own
	move := h.deliver
	if h.Rank() == 0 {
		move = h.collect
	}
	if err := move(&all); err != nil {
		h.fail(h.Rank(), err) // unless it is that already
		all.shares[h.Rank()] = share{}
		all.close()
		return nil, h.failure()
	}
	return all.shares, nil
}

// collect is the part of rank 0: it fills in the shares of the others, and sends all to all.
func (h *member) collect(all *batch) error {
	for _, p := range h.peers[1:] {
		b, err := h.await(p, all)
		if err != nil {
			return err
		}
		all.shares[p.rank] = b.shares[0]
	}
	for _, p := range h.peers[1:] {
		if err := h.send(p, all); err != nil {
			return err
		}
	}
	return nil
}

// deliver is the part of the other ranks: it sends the own share and fills in all others.
func (h *member) deliver(all *batch) error {
	p, rank := h.peers[0], h.Rank()
	own := all.shares[rank]
	if err := h.send(p, &batch{call: all.call, kind: all.kind, first: rank, shares: []share{own}}); err != nil {
		return err
	}
	b, err := h.await(p, all)
	if err != nil {
		return err
	}
	echo := batch{shares: b.shares[rank : rank+1 : rank+1]}
	echo.close()
	b.shares[rank] = own
	all.shares = b.shares
	return nil
}

// await waits for p's shares of the call that is made here.
func (h *member) await(p *peer, call *batch) (*batch, error) {
	select {
	case b := <-p.inbox:
		if b.call != call.call || b.kind != call.kind {
			b.close()
			return nil, fmt.Errorf("cluster: rank %d makes %v its call %d and rank %d %v its call %d: all ranks must make the same calls in the same order",
				p.rank, b.kind, b.call, h.Rank(), call.kind, call.call)
		}
		return b, nil
	case <-p.gone:
		return nil, fmt.Errorf("cluster: rank %d (%s) has closed and rank %d calls %v", p.rank, p.who, h.Rank(), call.kind)
	case <-h.broken:
		return nil, h.failure()
	}
}

// send sends b to p.
func (h *member) send(p *peer, b *batch) error {
	err := b.send(p.conn)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		// Why p is gone is known to who reads from it.
		select {
		case <-p.gone:
			return fmt.Errorf("cluster: rank %d (%s) has closed and rank %d calls %v", p.rank, p.who, h.Rank(), b.kind)
		case <-h.broken:
			return h.failure()
		}
	}
	return err
}
