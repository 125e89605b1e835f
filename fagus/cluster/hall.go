package cluster

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// hall is where rank 0 meets those that want to be ranks of its job.
type hall struct {
	strangers map[*net.UnixConn]bool // that have not said hello
	foreign   int                    // refused, of another user
	seen      []bool                 // by rank: somebody has said to be it
	unseen    int
	everyone  chan struct{} // closed when none is unseen
	complete  bool          // all ranks have come
	deadline  time.Time
	overdue   *time.Timer
}

// helloTimeout bounds how long a stranger may be silent.
const helloTimeout = 5 * time.Second

func newHall(size int) hall {
	h := hall{strangers: map[*net.UnixConn]bool{}, seen: make([]bool, size), unseen: size, everyone: make(chan struct{})}
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
func (h *Host) receive() {
	defer h.readers.Done()
	for {
		socket, err := h.listener.AcceptUnix()
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
func (h *Host) greet(socket *net.UnixConn) {
	defer h.readers.Done()
	c := newConn(socket)
	_, uid, err := peerCredentials(socket)
	foreign := err == nil && uid != os.Geteuid()
	var who hello
	if err == nil && !foreign {
		_ = socket.SetReadDeadline(time.Now().Add(helloTimeout))
		if who, err = c.hear(); err == nil {
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
	if err == nil && !foreign && !h.over {
		answer, admitted = h.admit(c, who)
	}
	h.mu.Unlock()
	if answer != nil {
		_ = socket.SetWriteDeadline(time.Now().Add(noticeTimeout))
		_ = c.send(answer.message()) // who is gone need not know
	}
	if !admitted {
		_ = socket.Close() // a refusal that is sent can still be read
	}
}

// awaitGoodbye waits a little if a rank seems to come a second time: it may have closed, and
// its goodbye be under way.
func (h *Host) awaitGoodbye(who hello) {
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
func (c *conn) hear() (hello, error) {
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
func (h *Host) admit(c *conn, who hello) (*Failed, bool) {
	h.hall.see(who.Rank)
	if h.failed != nil {
		return h.failed, false
	}
	err := who.check(h.own)
	if err == nil {
		first := h.own
		if p := h.peers[who.Rank]; p != nil {
			if p.left() { // it is early for the next job of this name
				return nil, false
			}
			first = hello{Rank: who.Rank, PID: p.pid}
		}
		if first.Rank == who.Rank {
			err = fmt.Errorf("cluster: two processes are rank %d of job %.80q: pid %d and pid %d", who.Rank, h.place.Job, first.PID, who.PID)
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
	_ = c.socket.SetReadDeadline(time.Time{})
	p := newPeer(c, rank, who.PID, assembler{first: rank, count: 1})
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

// expect fails the job unless all have come in time. The lock is held.
func (h *Host) expect(patience time.Duration) {
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
func (h *Host) late() {
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
func (h *Host) rollCall() (came, missing []int) {
	for rank, p := range h.peers {
		if p != nil || rank == 0 {
			came = append(came, rank)
		} else {
			missing = append(missing, rank)
		}
	}
	return came, missing
}
