package cluster

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// rendezvous is the state of rank 0 while the processes of the job connect to it.
type rendezvous struct {
	pending      map[net.Conn]bool // accepted connections that have not sent a valid hello
	foreignUsers int               // connections refused because they came from another user
	seen         []bool            // by rank: a hello with this rank has arrived
	unseen       int               // number of false entries in seen
	allSeen      chan struct{}     // closed when unseen is 0
	complete     bool              // all ranks have joined
	deadline     time.Time         // when timer fires
	timer        *time.Timer       // fails the job; nil until tightenDeadline is called
}

const (
	// helloTimeout bounds the time from accepting a connection to receiving its hello.
	helloTimeout = 5 * time.Second
	// maxPending bounds the connections without a hello; further ones wait in the listener.
	maxPending = 128
)

func newRendezvous(size int) rendezvous {
	r := rendezvous{pending: map[net.Conn]bool{}, seen: make([]bool, size), unseen: size, allSeen: make(chan struct{})}
	r.markSeen(0)
	return r
}

func (r *rendezvous) markSeen(rank int) {
	if rank < 0 || rank >= len(r.seen) || r.seen[rank] {
		return
	}
	r.seen[rank] = true
	if r.unseen--; r.unseen == 0 {
		close(r.allSeen)
	}
}

func (r *rendezvous) close() {
	for s := range r.pending {
		_ = s.Close() // the process gets no answer
	}
	if r.timer != nil {
		r.timer.Stop()
	}
}

// accept accepts connections until the listener is closed. It keeps accepting after the job is
// complete, so that a late process gets an error instead of a timeout.
func (m *member) accept() {
	defer m.readers.Done()
	slots := make(chan struct{}, maxPending)
	for {
		slots <- struct{}{} // shutdown closes the connections that occupy the slots
		socket, err := m.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // for example no free file descriptor, which may pass
			<-slots
			time.Sleep(longestPause)
			continue
		}
		m.mu.Lock()
		if m.over {
			m.mu.Unlock()
			_ = socket.Close() // this rank has left the job
			return
		}
		m.rendezvous.pending[socket] = true
		m.readers.Add(1)
		m.mu.Unlock()
		go func() {
			defer m.readers.Done()
			m.handshake(socket)
			<-slots
		}()
	}
}

// handshake reads the hello of a connection and admits or refuses the sender.
func (m *member) handshake(socket net.Conn) {
	_ = socket.SetDeadline(time.Now().Add(helloTimeout))
	c, err := m.wire.accept(socket)
	foreign := errors.Is(err, errForeign)
	var greeting hello
	if err == nil {
		if greeting, err = receiveHello(c); err == nil {
			err = c.checkRank(greeting.Rank)
		}
		if err == nil {
			m.awaitGoodbye(greeting)
		}
	}
	m.mu.Lock()
	delete(m.rendezvous.pending, socket)
	if foreign {
		m.rendezvous.foreignUsers++
	}
	var answer *Failed
	admitted := false
	if err == nil && !m.over {
		answer, admitted = m.admit(c, greeting)
	}
	m.mu.Unlock()
	if answer != nil {
		_ = c.SetWriteDeadline(time.Now().Add(noticeTimeout))
		_ = c.send(answer.message()) // the process may already have exited
	}
	switch {
	case admitted:
	case c != nil:
		_ = c.Close() // the peer can still read a refusal that was sent
	default:
		_ = socket.Close() // no hello arrived
	}
}

// awaitGoodbye waits briefly if a hello gives a rank that has already joined: the first process
// of this rank may have closed, and its goodbye may not have arrived yet.
func (m *member) awaitGoodbye(greeting hello) {
	m.mu.Lock()
	var p *peer
	if m.rendezvous.complete && greeting.check(m.own) == nil {
		p = m.peers[greeting.Rank]
	}
	m.mu.Unlock()
	if p == nil {
		return
	}
	select {
	case <-p.gone:
	case <-time.After(helloTimeout / 50):
	case <-m.broken:
	}
}

func receiveHello(c conn) (hello, error) {
	m, err := c.receive()
	if err != nil {
		return hello{}, err
	}
	if m.kind != kindHello {
		closeAll(m.files)
		return hello{}, fmt.Errorf("cluster: the first message is of %v, want a hello", m.kind)
	}
	return readHello(m.body)
}

// admit adds the sender of greeting as a peer, or returns the reason why it cannot. It returns
// nil and false for a process that should try again. While ranks are missing, a wrong process
// fails the whole job. The caller holds m.mu.
func (m *member) admit(c conn, greeting hello) (*Failed, bool) {
	m.rendezvous.markSeen(greeting.Rank)
	if m.failed != nil {
		return m.failed, false
	}
	err := greeting.check(m.own)
	if err == nil {
		p := m.peers[greeting.Rank]
		switch {
		case p != nil && p.left(): // the next job of this name starts before this job has ended
			return nil, false
		case p != nil:
			err = m.duplicateRank(greeting.Rank, p.process, greeting.process())
		case greeting.Rank == m.own.Rank:
			err = m.duplicateRank(greeting.Rank, m.own.process(), greeting.process())
		}
	}
	rank := dimmnet.Rank(0)
	if greeting.Rank >= 0 && greeting.Rank < m.Size() {
		rank = dimmnet.Rank(greeting.Rank)
	}
	if err != nil {
		if m.rendezvous.complete {
			return &Failed{Rank: rank, Why: err.Error()}, false
		}
		m.failLocked(rank, err)
		return m.failed, false
	}
	_ = c.SetDeadline(time.Time{})
	p := newPeer(c, rank, greeting.process(), assembler{first: rank, count: 1})
	m.peers[rank] = p
	m.readers.Add(1)
	go m.watch(p)
	m.tightenDeadline(time.Duration(greeting.PatienceMS) * time.Millisecond)
	if came, _ := m.presence(); len(came) == m.Size() {
		m.rendezvous.complete = true
		m.rendezvous.timer.Stop()
		close(m.joined)
	}
	return nil, true
}

func (m *member) duplicateRank(rank int, first, second string) error {
	return fmt.Errorf("cluster: two processes are rank %d of job %.80q: %s and %s", rank, m.place.Job, first, second)
}

// tightenDeadline may shorten the time in which all ranks must join. The caller holds m.mu.
func (m *member) tightenDeadline(patience time.Duration) {
	deadline := time.Now().Add(patience)
	if m.rendezvous.timer == nil {
		m.rendezvous.timer = time.AfterFunc(patience, m.timedOut)
	} else if deadline.Before(m.rendezvous.deadline) {
		m.rendezvous.timer.Reset(patience)
	} else {
		return
	}
	m.rendezvous.deadline = deadline
}

func (m *member) timedOut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rendezvous.complete {
		return
	}
	came, missing := m.presence()
	err := fmt.Errorf("cluster: of the %d ranks of job %.80q, these joined in time: %s; these did not: %s",
		m.Size(), m.place.Job, list(came), list(missing))
	if m.rendezvous.foreignUsers > 0 {
		err = fmt.Errorf("%w (%d processes of other users were refused)", err, m.rendezvous.foreignUsers)
	}
	if m.refusals != nil {
		err = fmt.Errorf("%w%s", err, m.refusals())
	}
	m.failLocked(dimmnet.Rank(missing[0]), dimmnet.Gone(err))
}

// presence returns the ranks that have joined and those that have not. The caller holds m.mu.
func (m *member) presence() (came, missing []int) {
	for rank, p := range m.peers {
		if p != nil || rank == 0 {
			came = append(came, rank)
		} else {
			missing = append(missing, rank)
		}
	}
	return came, missing
}
