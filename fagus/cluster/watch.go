package cluster

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// peer is another rank at the end of a connection.
type peer struct {
	conn
	rank    dimmnet.Rank
	who     string // its process, in words
	batches assembler
	inbox   chan *batch   // room for one: a rank cannot be further ahead
	gone    chan struct{} // closed by its goodbye
	alive   chan struct{} // room for one: it has answered
	asked   atomic.Bool   // somebody waits for that
}

func newPeer(c conn, rank dimmnet.Rank, who string, batches assembler) *peer {
	return &peer{conn: c, rank: rank, who: who, batches: batches, inbox: make(chan *batch, 1), gone: make(chan struct{}), alive: make(chan struct{}, 1)}
}

// left says whether the peer has said goodbye.
func (p *peer) left() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// drop closes the files that nobody has taken. Nothing is received any more.
func (p *peer) drop() {
	p.batches.now.close()
	select {
	case b := <-p.inbox:
		b.close()
	default:
	}
}

// noticeTimeout bounds telling a peer that may be stopped.
const noticeTimeout = time.Second

// watch reads what p sends until its connection ends.
func (h *member) watch(p *peer) {
	defer h.readers.Done()
	for {
		m, err := p.receive()
		if err == nil {
			err = h.take(p, m)
		} else if errors.Is(err, io.EOF) {
			err = errors.New("its connection ended without a goodbye")
		}
		if err != nil {
			if !p.left() {
				h.fail(p.rank, fmt.Errorf("cluster: rank %d (%s) is lost: %w", p.rank, p.who, err))
			}
			return
		}
	}
}

// take does what a message of p asks for.
func (h *member) take(p *peer, m message) error {
	switch {
	case p.left():
		closeAll(m.files)
		return nil // what follows a goodbye is nobody's
	case m.kind == kindBlob || m.kind == kindFiles:
		b, err := p.batches.add(m)
		if b == nil {
			return err
		}
		select {
		case p.inbox <- b:
			return nil
		default:
			b.close()
			return fmt.Errorf("it makes a call before the last one is over")
		}
	case m.kind == kindFailed && (m.rank == p.rank || p.rank == 0 && int(m.rank) < h.Size()):
		h.fail(m.rank, errors.New(text(m.body)))
		return nil
	case m.kind == kindSuspect && h.Rank() == 0 && int(m.rank) < h.Size():
		h.mu.Lock()
		q := h.peers[m.rank]
		h.mu.Unlock()
		if q != nil {
			h.confirm(q, nil)
		}
		return nil
	case m.kind == kindAsk && m.rank == p.rank:
		h.notify(p, message{kind: kindAlive, rank: h.Rank()})
		return nil
	case m.kind == kindAlive && m.rank == p.rank:
		select {
		case p.alive <- struct{}{}:
		default:
		}
		return nil
	case m.kind == kindGoodbye && p.rank != 0:
		close(p.gone)
		return nil
	}
	return fmt.Errorf("it sends a message of %v in the name of rank %d", m.kind, m.rank)
}

// fail fails the job for the first time, and tells all that are connected.
func (h *member) fail(blame dimmnet.Rank, cause error) {
	h.mu.Lock()
	h.failLocked(blame, cause)
	h.mu.Unlock()
	h.tell()
}

func (h *member) failLocked(blame dimmnet.Rank, cause error) {
	if h.failed != nil || h.over {
		return
	}
	h.failed = &Failed{Rank: blame, Why: cause.Error(), cause: cause}
	close(h.broken)
	m := h.failed.message()
	for _, p := range h.peers {
		if p == nil || p.left() {
			continue
		}
		// This also ends a call that cannot send.
		_ = p.SetWriteDeadline(time.Now().Add(noticeTimeout))
		h.notices.Go(func() { _ = p.send(m) }) // who is gone need not know
	}
}

// message tells a peer of the failure.
func (f *Failed) message() message {
	return message{kind: kindFailed, rank: f.Rank, body: []byte(f.Why[:min(len(f.Why), maxText)])}
}

// failure is why the job has failed, nil if it has not.
func (h *member) failure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		return nil
	}
	return h.failed
}

// text is what a peer says, which may be anything.
func text(body []byte) string {
	clean := []rune(string(body[:min(len(body), maxText)]))
	for i, r := range clean {
		if r < ' ' {
			clean[i] = ' '
		}
	}
	return string(clean)
}
