package cluster

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

type peer struct {
	conn
	rank    dimmnet.Rank
	process string // describes the rank's process
	batches assembler
	inbox   chan *batch   // received batches; capacity 1: a rank is at most one call ahead
	gone    chan struct{} // closed by the peer's goodbye
	pong    chan struct{} // capacity 1: the peer has answered a ping
	pinging atomic.Bool   // a goroutine is pinging the peer
}

func newPeer(c conn, rank dimmnet.Rank, process string, batches assembler) *peer {
	return &peer{conn: c, rank: rank, process: process, batches: batches, inbox: make(chan *batch, 1), gone: make(chan struct{}), pong: make(chan struct{}, 1)}
}

func (p *peer) left() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// drop closes received files that no call has taken. The connection must receive nothing more.
func (p *peer) drop() {
	p.batches.now.close()
	select {
	case b := <-p.inbox:
		b.close()
	default:
	}
}

// noticeTimeout bounds sending a message to a peer that may be stopped.
const noticeTimeout = time.Second

func (m *member) watch(p *peer) {
	defer m.readers.Done()
	for {
		msg, err := p.receive()
		if err == nil {
			err = m.handle(p, msg)
		} else if errors.Is(err, io.EOF) {
			err = errors.New("its connection ended without a goodbye")
		}
		if err != nil {
			if !p.left() {
				m.lost(p, err)
			}
			return
		}
	}
}

// lost fails the job because the process of p is gone.
func (m *member) lost(p *peer, why error) {
	m.fail(p.rank, dimmnet.Gone(fmt.Errorf("cluster: rank %d (%s) is lost: %w", p.rank, p.process, why)))
}

func (m *member) handle(p *peer, msg message) error {
	switch {
	case p.left():
		closeAll(msg.files)
		return nil // messages after a goodbye are ignored
	case msg.kind == kindBlob || msg.kind == kindFiles:
		b, err := p.batches.add(msg)
		if b == nil {
			return err
		}
		select {
		case p.inbox <- b:
			return nil
		default:
			b.close()
			return fmt.Errorf("it starts a call before the previous call has ended")
		}
	case (msg.kind == kindFailed || msg.kind == kindLost) && (msg.rank == p.rank || p.rank == 0 && int(msg.rank) < m.Size()):
		m.fail(msg.rank, msg.failure())
		return nil
	case msg.kind == kindSuspect && m.Rank() == 0 && int(msg.rank) < m.Size():
		if q := m.peerOf(int(msg.rank)); q != nil {
			m.confirm(q, nil, nil)
		}
		return nil
	case msg.kind == kindPing && msg.rank == p.rank:
		m.notify(p, message{kind: kindPong, rank: m.Rank()})
		return nil
	case msg.kind == kindPong && msg.rank == p.rank:
		select {
		case p.pong <- struct{}{}:
		default:
		}
		return nil
	case (msg.kind == kindAsk || msg.kind == kindNote) && m.noteDue(p, msg):
		m.handleNote(msg)
		return nil
	case msg.kind == kindGoodbye && p.rank != 0:
		close(p.gone)
		return nil
	}
	return fmt.Errorf("it sent a message of %v in the name of rank %d", msg.kind, msg.rank)
}

// fail fails the job, unless it has already failed, and announces the failure to all peers.
func (m *member) fail(blame dimmnet.Rank, cause error) {
	m.mu.Lock()
	m.failLocked(blame, cause)
	m.mu.Unlock()
	m.reportLoss()
}

func (m *member) failLocked(blame dimmnet.Rank, cause error) {
	if m.failed != nil || m.over {
		return
	}
	m.failed = &Failed{Rank: blame, Why: cause.Error(), cause: cause}
	close(m.broken)
	msg := m.failed.message()
	for _, p := range m.peers {
		if p == nil || p.left() {
			continue
		}
		// The deadline also ends a call that is blocked in send.
		_ = p.SetWriteDeadline(time.Now().Add(noticeTimeout))
		m.notices.Go(func() { _ = p.send(msg) }) // a peer that is gone needs no message
	}
}

func (f *Failed) message() message {
	msg := message{kind: kindFailed, rank: f.Rank, body: []byte(f.Why[:min(len(f.Why), maxText)])}
	if dimmnet.IsGone(f) {
		msg.kind = kindLost
	}
	return msg
}

// failure returns the error in a message of kindFailed or kindLost.
func (m message) failure() error {
	err := errors.New(sanitize(m.body))
	if m.kind == kindLost {
		return dimmnet.Gone(err)
	}
	return err
}

func (m *member) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed == nil {
		return nil
	}
	return m.failed
}

// sanitize limits the length of a text from another process and replaces control characters.
func sanitize(body []byte) string {
	clean := []rune(string(body[:min(len(body), maxText)]))
	for i, r := range clean {
		if r < ' ' {
			clean[i] = ' '
		}
	}
	return string(clean)
}
