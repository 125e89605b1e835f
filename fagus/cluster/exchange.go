package cluster

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// exchange sends this rank's share to all ranks and returns the shares of all ranks. A failed call
// fails the job, because some ranks have completed the call and others have not.
func (m *member) exchange(ctx context.Context, kind kind, own share) ([]share, error) {
	m.calls.Lock()
	defer m.calls.Unlock()
	if m.closed {
		return nil, fmt.Errorf("cluster: rank %d: %v after Close", m.Rank(), kind)
	}
	if err := m.failure(); err != nil {
		return nil, err
	}
	m.call++
	giveUp := func() {
		m.fail(m.Rank(), fmt.Errorf("cluster: rank %d (%s) abandons %v: %w", m.Rank(), m.own.process(), kind, dimmnet.ContextErr(ctx)))
	}
	if ctx.Err() != nil {
		giveUp()
		return nil, m.failure()
	}
	defer context.AfterFunc(ctx, giveUp)()
	all := batch{call: m.call, kind: kind, shares: make([]share, m.Size())}
	all.shares[m.Rank()] = own
	move := m.deliver
	if m.Rank() == 0 {
		move = m.collect
	}
	if err := move(&all); err != nil {
		m.fail(m.Rank(), err) // has no effect if the job has already failed
		all.shares[m.Rank()] = share{}
		all.close()
		return nil, m.failure()
	}
	return all.shares, nil
}

// collect is exchange at rank 0: it receives the other ranks' shares and sends them all shares.
func (m *member) collect(all *batch) error {
	for _, p := range m.peers[1:] {
		b, err := m.await(p, all)
		if err != nil {
			return err
		}
		all.shares[p.rank] = b.shares[0]
	}
	for _, p := range m.peers[1:] {
		if err := m.send(p, all); err != nil {
			return err
		}
	}
	return nil
}

// deliver is exchange at the other ranks: it sends the own share and receives all shares.
func (m *member) deliver(all *batch) error {
	p, rank := m.peers[0], m.Rank()
	own := all.shares[rank]
	if err := m.send(p, &batch{call: all.call, kind: all.kind, first: rank, shares: []share{own}}); err != nil {
		return err
	}
	b, err := m.await(p, all)
	if err != nil {
		return err
	}
	echo := batch{shares: b.shares[rank : rank+1 : rank+1]}
	echo.close()
	b.shares[rank] = own
	all.shares = b.shares
	return nil
}

// await waits for the batch of p. It pings p meanwhile, which may be stopped.
func (m *member) await(p *peer, call *batch) (*batch, error) {
	tick := time.Tick(pingPause)
	for {
		select {
		case b := <-p.inbox:
			if b.call != call.call || b.kind != call.kind {
				b.close()
				return nil, fmt.Errorf("cluster: rank %d makes %v as its call %d, but rank %d makes %v as its call %d: all ranks must make the same calls in the same order",
					p.rank, b.kind, b.call, m.Rank(), call.kind, call.call)
			}
			return b, nil
		case <-p.gone:
			return nil, fmt.Errorf("cluster: rank %d (%s) has closed the job, but rank %d calls %v", p.rank, p.process, m.Rank(), call.kind)
		case <-m.broken:
			return nil, m.failure()
		case <-tick:
			m.confirm(p, nil, nil)
		}
	}
}

// send sends b to p. It pings p meanwhile: if p is stopped, the buffers between the two get full.
func (m *member) send(p *peer, b *batch) error {
	sent := make(chan struct{})
	m.notices.Go(func() {
		tick := time.Tick(pingPause)
		for {
			select {
			case <-sent:
				return
			case <-m.broken: // the write deadline of failLocked ends the call
				return
			case <-tick:
				m.confirm(p, nil, nil)
			}
		}
	})
	err := b.send(p.conn)
	close(sent)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		// The goroutine that reads from p reports whether p closed the job or the job failed.
		select {
		case <-p.gone:
			return fmt.Errorf("cluster: rank %d (%s) has closed the job, but rank %d calls %v", p.rank, p.process, m.Rank(), b.kind)
		case <-m.broken:
			return m.failure()
		}
	}
	return err
}
