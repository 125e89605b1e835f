package cluster

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// lateTime is how long a question waits for silent ranks when the job has failed: on a busy machine
// they take long to find their lines. A launcher waits longer for a rank that has failed.
const lateTime = 2 * time.Second

var (
	_ dimmnet.Describer = (*Host)(nil)
	_ dimmnet.Describer = (*Hosts)(nil)
)

// notes are what ranks say about themselves. A rank sends its own note with each question, because
// its process may end before it is asked. Rank 0 passes questions and notes on, and answers for
// ranks that have left the job.
type notes struct {
	mu       sync.Mutex
	describe func() []byte // may be nil
	asked    uint32        // number of the last question
	of       [][]byte      // the last note of each rank; nil if there is none
	answered []uint32      // the last question that each rank has answered
	arrived  chan struct{} // closed when a note arrives, and then replaced
}

// store keeps a note of a rank, which answers a question of this rank unless question is 0.
func (n *notes) store(of dimmnet.Rank, question uint32, note []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(note) > 0 { // empty: the note before stays
		n.of[of] = slices.Clone(note)
	}
	n.answered[of] = max(n.answered[of], question)
	close(n.arrived)
	n.arrived = make(chan struct{})
}

// own returns this rank's note: from the function, or else the last one.
func (n *notes) own(rank dimmnet.Rank) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.describe != nil {
		if note := n.describe(); len(note) <= dimmnet.MaxNote {
			return note
		}
	}
	return n.of[rank]
}

// Describe sets the function that returns this rank's note; see dimmnet.Describer.
func (m *member) Describe(own func() []byte) {
	m.notes.mu.Lock()
	defer m.notes.mu.Unlock()
	m.notes.describe = own
}

// Ask sends own to the ranks of, and returns their notes; see dimmnet.Describer. If ctx is done,
// Ask sends own all the same: the process may end as soon as it returns.
func (m *member) Ask(ctx context.Context, own []byte, of []dimmnet.Rank) [][]byte {
	n := &m.notes
	n.mu.Lock()
	n.asked++
	question := n.asked
	n.mu.Unlock()
	if own = own[:min(len(own), dimmnet.MaxNote)]; len(own) > 0 {
		n.store(m.Rank(), 0, own)
	}
	of = slices.DeleteFunc(slices.Clone(of), func(r dimmnet.Rank) bool { return r == m.Rank() || int(r) >= m.Size() })
	var sent []<-chan struct{}
	defer func() { awaitAll(sent, noticeTimeout) }()
	for _, r := range of {
		sent = append(sent, m.passQuestion(message{kind: kindAsk, rank: m.Rank(), call: question, total: uint32(r), body: own}))
	}
	broken, late := m.broken, (<-chan time.Time)(nil)
	for {
		n.mu.Lock()
		open := slices.ContainsFunc(of, func(r dimmnet.Rank) bool { return n.answered[r] < question && (late == nil || n.of[r] == nil) })
		arrived, all := n.arrived, slices.Clone(n.of)
		n.mu.Unlock()
		if !open {
			return all
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return all
		case <-broken: // processes end: perhaps only answers on their way arrive
			broken, late = nil, time.After(lateTime)
		case <-late:
			return all
		}
	}
}

// awaitAll waits until all channels are closed, or a time is over.
func awaitAll(channels []<-chan struct{}, limit time.Duration) {
	over := time.After(limit)
	for _, c := range channels {
		select {
		case <-c:
		case <-over:
			return
		}
	}
}

// passQuestion sends a question towards the rank msg.total; see notify. At rank 0 it answers for a
// rank that has left.
func (m *member) passQuestion(msg message) (sent <-chan struct{}) {
	if p := m.towards(msg.total); p != nil {
		return m.notify(p, msg)
	}
	return m.background(func() {
		if m.Rank() == 0 {
			m.answer(msg, dimmnet.Rank(msg.total))
		}
	})
}

// towards returns the peer to which a message for a rank is sent: rank 0 passes it on. It returns
// nil if that peer has left the job.
func (m *member) towards(rank uint32) *peer {
	to := 0
	if m.Rank() == 0 {
		to = int(rank)
	}
	if p := m.peerOf(to); p != nil && !p.left() {
		return p
	}
	return nil
}

// answer sends the note of rank of, if this process has one, to the rank that asks by msg. It runs
// in the background: finding the line of a program takes time.
func (m *member) answer(msg message, of dimmnet.Rank) {
	var note []byte
	if of == m.Rank() {
		note = m.notes.own(of)
	} else {
		m.notes.mu.Lock()
		note = m.notes.of[of]
		m.notes.mu.Unlock()
	}
	answer := message{kind: kindNote, rank: of, call: msg.call, total: uint32(msg.rank), body: note}
	if p := m.next(answer); p != nil {
		_ = p.send(answer) // a peer that is gone needs no answer
	}
}

// next returns the peer to which a note goes on its way to the rank msg.total. If this rank is
// msg.total, next stores the note and returns nil.
func (m *member) next(msg message) *peer {
	if dimmnet.Rank(msg.total) == m.Rank() {
		m.notes.store(msg.rank, msg.call, msg.body)
		return nil
	}
	return m.towards(msg.total)
}

// handleNote handles a message of kindAsk or kindNote. The body is valid until it returns.
func (m *member) handleNote(msg message) {
	msg.body = slices.Clone(msg.body)
	if msg.kind == kindNote {
		if p := m.next(msg); p != nil {
			m.notify(p, msg)
		}
		return
	}
	m.notes.store(msg.rank, 0, msg.body)
	if dimmnet.Rank(msg.total) != m.Rank() {
		m.passQuestion(msg)
		return
	}
	m.background(func() { m.answer(msg, m.Rank()) })
}

// noteDue reports whether p may send msg. Only rank 0 gets what is for another rank.
func (m *member) noteDue(p *peer, msg message) bool {
	from, to := msg.rank == p.rank, int(msg.total) == m.place.Rank
	if m.Rank() == 0 {
		return from && int(msg.total) < m.Size()
	}
	return to && int(msg.rank) < m.Size()
}

// peerOf returns the connection with a rank, and nil if there is none.
func (m *member) peerOf(rank int) *peer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if rank >= len(m.peers) {
		return nil
	}
	return m.peers[rank]
}
