package cluster

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// hall is where rank 0 meets those that want to be ranks of its job.
type hall struct {
	strangers map[net.Conn]bool // that have not said hello
	foreign   int               // refused, of another user
	seen      []bool            // by rank: somebody has said to be it
	unseen    int
	everyone  chan struct{} // closed when none is unseen
	complete  bool          // all ranks have come
	deadline  time.Time
	overdue   *time.Timer
}

// helloTimeout bounds how long a stranger may be silent.
const helloTimeout = 5 * time.Second

func newHall(size int) hall {
	h := hall{strangers: map[net.Conn]bool{}, seen: make([]bool, size), unseen: size, everyone: make(chan struct{})}
	h.see(0)
	return h
}

// see notes that somebody has said to be rank.
func (h *hall) see(rank int) {
	if rank < 0 || rank >= len(h.seen) || h.seen[rank] {
		return
	}
	h.seen[rank] = true
	if h.unseen--; h.unseen == 0 {
		close(h.everyone)
	}
}

func (h *hall) close() {
	for s := range h.strangers {
		_ = s.Close() // it is told nothing
	}
	if h.overdue != nil {
		h.overdue.Stop()
	}
}

// receive lets in who comes, until the listener is closed. Who comes when the job is
// complete is told so.
func (h *member) receive() {
	defer h.readers.Done()
	for {
		socket, err := h.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // this process can open no more files, say, which may pass
			time.Sleep(longestPause)
			continue
		}
		h.mu.Lock()
		if h.over {
			h.mu.Unlock()
			_ = socket.Close() // nobody is here
			return
		}
		h.hall.strangers[socket] = true
		h.readers.Add(1)
		h.mu.Unlock()
		go h.greet(socket)
	}
}

// greet hears a stranger's hello. Who says nothing sensible is sent away, and nobody else
// suffers from it.
func (h *member) greet(socket net.Conn) {
	defer h.readers.Done()
	_ = socket.SetDeadline(time.Now().Add(helloTimeout))
	c, err := h.wire.greet(socket)
	foreign := errors.Is(err, errForeign)
	var who hello
	if err == nil {
		if who, err = hear(c); err == nil {
			err = c.vouch(who.Rank)
		}
		if err == nil {
			h.awaitGoodbye(who)
		}
	}
	h.mu.Lock()
	delete(h.hall.strangers, socket)
	if foreign {
		h.hall.foreign++
	}
	var answer *Failed
	admitted := false
	if err == nil && !h.over {
		answer, admitted = h.admit(c, who)
	}
	h.mu.Unlock()
	if answer != nil {
		_ = c.SetWriteDeadline(time.Now().Add(noticeTimeout))
		_ = c.send(answer.message()) // who is gone need not know
	}
	switch {
	case admitted:
	case c != nil:
		_ = c.Close() // a refusal that is sent can still be read
	default:
		_ = socket.Close() // it has said nothing
	}
}

// awaitGoodbye waits a little if a rank seems to come a second time: it may have closed, and
// its goodbye be under way.
func (h *member) awaitGoodbye(who hello) {
	h.mu.Lock()
	var p *peer
	if h.hall.complete && who.check(h.own) == nil {
		p = h.peers[who.Rank]
	}
	h.mu.Unlock()
	if p == nil {
		return
	}
	timer := time.NewTimer(helloTimeout / 50)
	defer timer.Stop()
	select {
	case <-p.gone:
	case <-timer.C:
	case <-h.broken:
	}
}

// hear reads the first message of a process.
func hear(c conn) (hello, error) {
	m, err := c.receive()
	if err != nil {
		return hello{}, err
	}
	if m.kind != kindHello {
		closeAll(m.files)
		return hello{}, fmt.Errorf("cluster: a first message of %v", m.kind)
	}
	return readHello(m.body)
}

// admit makes who a peer, or says why not; if it says nothing, who may come again. While
// ranks are missing, one that is wrong fails the job. The lock is held.
func (h *member) admit(c conn, who hello) (*Failed, bool) {
	h.hall.see(who.Rank)
	if h.failed != nil {
		return h.failed, false
	}
	err := who.check(h.own)
	if err == nil {
		p := h.peers[who.Rank]
		switch {
		case p != nil && p.left(): // it is early for the next job of this name
			return nil, false
		case p != nil:
			err = h.twice(who.Rank, p.who, who.who())
		case who.Rank == h.own.Rank:
			err = h.twice(who.Rank, h.own.who(), who.who())
		}
	}
	rank := dimmnet.Rank(0)
	if who.Rank >= 0 && who.Rank < h.Size() {
		rank = dimmnet.Rank(who.Rank)
	}
	if err != nil {
		if h.hall.complete {
			return &Failed{Rank: rank, Why: err.Error()}, false
		}
		h.failLocked(rank, err)
		return h.failed, false
	}
	_ = c.SetDeadline(time.Time{})
	p := newPeer(c, rank, who.who(), assembler{first: rank, count: 1})
	h.peers[rank] = p
	h.readers.Add(1)
	go h.watch(p)
	h.expect(time.Duration(who.PatienceMS) * time.Millisecond)
	if came, _ := h.rollCall(); len(came) == h.Size() {
		h.hall.complete = true
		h.hall.overdue.Stop()
		close(h.joined)
	}
	return nil, true
}

// twice is the error of two processes of one rank.
func (h *member) twice(rank int, first, second string) error {
	return fmt.Errorf("cluster: two processes are rank %d of job %.80q: %s and %s", rank, h.place.Job, first, second)
}

// expect fails the job unless all have come in time. The lock is held.
func (h *member) expect(patience time.Duration) {
	deadline := time.Now().Add(patience)
	if h.hall.overdue == nil {
		h.hall.overdue = time.AfterFunc(patience, h.late)
	} else if deadline.Before(h.hall.deadline) {
		h.hall.overdue.Reset(patience)
	} else {
		return
	}
	h.hall.deadline = deadline
}

// late fails the job if ranks are missing.
func (h *member) late() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hall.complete {
		return
	}
	came, missing := h.rollCall()
	err := fmt.Errorf("cluster: of the %d ranks of job %.80q these have come: %s, and these have not: %s",
		h.Size(), h.place.Job, list(came), list(missing))
	if h.hall.foreign > 0 {
		err = fmt.Errorf("%w (%d processes of other users were sent away)", err, h.hall.foreign)
	}
	h.failLocked(dimmnet.Rank(missing[0]), err)
}

// rollCall is who has come and who has not. The lock is held.
func (h *member) rollCall() (came, missing []int) {
	for rank, p := range h.peers {
		if p != nil || rank == 0 {
			came = append(came, rank)
		} else {
			missing = append(missing, rank)
		}
	}
	return came, missing
}
