//go:build ofi && linux && cgo

package ofi

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// fabric is the endpoint of a rank, and its links to all other ranks. It is the stream.Poll of the
// rank's node.
type fabric struct {
	self     dimmnet.Rank
	group    *group
	eventfd  int
	asleep   atomic.Bool // a thread sleeps in Wait
	provider string
	patience time.Duration     // for an error that the provider ascribes to no peer
	turns    atomic.Uint64     // incremented when mu is taken
	over     chan struct{}     // closed by Close
	fatal    func(text string) // ends the process; tests replace it

	mu       sync.Mutex // guards the fields below, and the endpoint and all links
	ep       *endpoint
	token    uint64
	links    []*link // by rank; nil for the own rank
	next     int     // the rank at which the next check for ready links begins
	payload  int     // bytes of the stream in the longest message
	most     int     // messages that a peer may send before this rank has read one
	unused   []int   // send buffers
	sender   []*link // by send buffer: whose message it holds
	indebted bool    // a link owes its peer a message for which there was no space
	done     []completion
	scratch  []byte
	window   *window
	movers   [mostMoves]mover
	unable   bool      // the provider does not write remote memory
	troubled time.Time // when the provider reported trouble without naming a peer
	trouble  error
	closed   bool
	freed    bool
}

const (
	mostMessages  = 32       // that a peer may send ahead
	leastMessages = 4        // the same, where ranks are many
	bufferBytes   = 64 << 20 // of receive buffers in all, where ranks are many
	sendBuffers   = 64
	leastPatience = time.Second
	leastInject   = 2 << 10 // bytes, for messages that are all injected
	// polls bounds one progress: the number of completions taken by one call.
	polls = 8
)

// messagesAhead returns how many messages each of peers may send before this rank reads one.
func messagesAhead(peers int) int {
	return min(mostMessages, max(leastMessages, bufferBytes/messageBytes/max(peers, 1)))
}

func newFabric(g *group, self dimmnet.Rank, nodes int, provider, node, domain string, stall time.Duration) (*fabric, error) {
	f := &fabric{
		self: self, group: g, provider: provider, patience: max(leastPatience, 2*stall),
		over: make(chan struct{}), fatal: func(text string) { panic(text) },
		links: make([]*link, nodes), most: messagesAhead(nodes - 1), scratch: make([]byte, 0, messageBytes),
	}
	var err error
	if f.eventfd, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	// Beyond its credits, a peer may send the taken of an offer, credits, an end and a beat.
	f.ep, err = open(provider, node, domain, (nodes-1)*(f.most+2)+8, sendBuffers, nodes+mostMoves)
	if err != nil {
		_ = unix.Close(f.eventfd)
		return nil, err
	}
	g.enter()
	// Several messages that the provider copies at once are faster than one that it does not copy.
	f.payload = messageBytes
	if f.ep.inject >= leastInject {
		f.payload = f.ep.inject
	}
	f.payload -= headerBytes + exposureBytes
	f.sender = make([]*link, sendBuffers)
	for i := range sendBuffers {
		f.unused = append(f.unused, i)
	}
	go f.guard()
	return f, nil
}

// progress lets the provider work, and takes completions. The lock is held.
func (f *fabric) progress() (came bool) {
	if f.closed {
		return false
	}
	for range polls {
		var err error
		if f.done, err = f.ep.poll(f.done); err != nil {
			if err != errAgain {
				f.troubles(err)
			}
			return came
		}
		for i := range f.done {
			f.complete(&f.done[i])
		}
		came = came || len(f.done) > 0
		if len(f.done) < len(f.ep.events) {
			break
		}
	}
	if came && f.asleep.Load() {
		f.Wake() // the sleeper waits for completions that this thread took
	}
	if f.indebted {
		f.indebted = false
		for _, l := range f.links {
			if l != nil {
				l.settle()
			}
		}
	}
	return came
}

func (f *fabric) complete(c *completion) {
	switch {
	case c.receive >= 0:
		if c.err == nil {
			f.received(c.receive, c.n)
			return
		}
		f.troubles(c.err)
		f.release(c.receive)
	case c.send >= 0:
		l := f.sender[c.send]
		f.sender[c.send] = nil
		f.unused = append(f.unused, c.send)
		l.outstanding--
		l.fail(c.err)
	case c.slot >= 0:
		f.ep.moveEnd(c.slot)
		if at := c.slot - len(f.links); at >= 0 {
			f.moveDone(at, c.err)
		} else {
			f.links[c.slot].readDone(c.err)
		}
	default:
		f.troubles(c.err)
	}
}

// troubles records an error that the provider ascribes to no peer: an injected message failed. The
// peers get some time to report what happened to them.
func (f *fabric) troubles(err error) {
	if f.trouble == nil {
		f.trouble, f.troubled = err, time.Now()
	}
}

// brokenBy returns the error that breaks all links.
func (f *fabric) brokenBy() error {
	switch {
	case f.closed:
		return errors.New("the endpoint is closed")
	case f.trouble != nil && time.Since(f.troubled) > f.patience:
		return fmt.Errorf("the provider reports, without saying for which peer: %w", f.trouble)
	}
	return nil
}

// received takes a message out of receive buffer i.
func (f *fabric) received(i, n int) {
	h, e, rest, err := decode(f.ep.receiveBuffer(i)[:min(n, messageBytes)])
	if err != nil || h.token != f.token || int(h.source) >= len(f.links) || f.links[h.source] == nil {
		// The sender is not of the run: nothing of the message is used.
		f.release(i)
		return
	}
	l := f.links[h.source]
	l.heard.Add(1)
	if l.credits += int(h.credits); l.credits > f.most {
		l.fail(fmt.Errorf("it has returned %d credits: want at most %d", l.credits, f.most))
	}
	switch h.kind {
	case data, offer:
		if l.held++; l.held > f.most {
			l.fail(fmt.Errorf("it has sent %d messages ahead: want at most %d", l.held, f.most))
		}
		l.queue = append(l.queue, item{buffer: i, bytes: rest})
		if h.kind == offer {
			l.queue = append(l.queue, item{buffer: noBuffer, memory: e})
		}
		l.consume()
		return
	case taken:
		l.wasTaken()
	case end:
		l.ended = true
	}
	f.release(i)
}

// release gives a receive buffer back to the provider, with the next poll.
func (f *fabric) release(i int) { f.ep.release(i) }

// send sends a message to the peer of l, if the provider and the send buffers have space. reserve
// is the number of send buffers to leave for others.
func (f *fabric) send(l *link, k kind, e exposure, p, q []byte, reserve int) (sent bool) {
	h := header{f.token, f.self, k, uint16(l.owed)}
	m := h.append(f.scratch[:0])
	if k == offer {
		m = e.append(m)
	}
	var err error
	if n := len(m) + len(p) + len(q); n <= f.ep.inject {
		m = append(append(m, p...), q...)
		err = f.ep.injectTo(l.peer, m)
	} else {
		if len(f.unused) <= reserve {
			return false
		}
		i := f.unused[len(f.unused)-1]
		b := f.ep.sendBuffer(i)
		at := copy(b, m)
		at += copy(b[at:], p)
		copy(b[at:], q)
		if err = f.ep.send(l.peer, i, n); err == nil {
			f.unused = f.unused[:len(f.unused)-1]
			f.sender[i] = l
			l.outstanding++
		}
	}
	if err == nil {
		l.owed = 0
		return true
	}
	if err != errAgain {
		l.fail(err)
	}
	return false
}

// control sends a message without bytes of the stream. It needs no credit of the peer.
func (f *fabric) control(l *link, k kind) (sent bool) {
	return f.send(l, k, exposure{}, nil, nil, 0)
}

// Wait implements stream.Poll. Not all providers have a descriptor to sleep on, so a thread that
// sleeps looks at intervals (docs/internals/decisions/0074).
func (f *fabric) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	if atMost > 0 {
		f.asleep.Store(true)
		defer f.asleep.Store(false)
	}
	for since := time.Now(); ; {
		f.lock()
		f.progress()
		ready = f.ready(ready[:0])
		f.mu.Unlock()
		if len(ready) > 0 || atMost == 0 {
			return ready
		}
		passed := time.Since(since)
		pause := min(max(leastPause, passed/pausesPassed), mostPause, atMost-passed)
		if pause <= 0 || f.sleep(pause) {
			return ready
		}
	}
}

// A sleeper looks for completions at intervals that grow with the time passed, so that it wakes
// late by a fraction of that time.
const (
	leastPause   = 20 * time.Microsecond
	mostPause    = 4 * time.Millisecond
	pausesPassed = 16
)

// sleep sleeps for a pause, or until Wake.
func (f *fabric) sleep(pause time.Duration) (woken bool) {
	fds := []unix.PollFd{{Fd: int32(f.eventfd), Events: unix.POLLIN}}
	t := unix.NsecToTimespec(pause.Nanoseconds())
	if n, err := unix.Ppoll(fds, &t, nil); n <= 0 || err != nil {
		return false
	}
	var count [8]byte
	_, _ = unix.Read(f.eventfd, count[:]) // fails if another thread has read it
	return true
}

// ready appends the ranks whose links are ready, at most as many as fit. If there may be more, the
// next check begins with those.
func (f *fabric) ready(into []dimmnet.Rank) []dimmnet.Rank {
	first := f.next
	for i := range f.links {
		rank := (first + i) % len(f.links)
		if l := f.links[rank]; l != nil && (l.readable() || l.writable()) {
			if into = append(into, dimmnet.Rank(rank)); len(into) == cap(into) {
				f.next = rank + 1
				break
			}
		}
	}
	return into
}

// Wake implements stream.Poll.
func (f *fabric) Wake() { _, _ = unix.Write(f.eventfd, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// closingTime is how long an endpoint waits for the ends of its peers. If it closed at once, bytes
// that a peer has not received could be lost.
const closingTime = time.Second

// Close implements stream.Poll. All links have been closed before.
func (f *fabric) Close() {
	for deadline := time.Now().Add(closingTime); time.Now().Before(deadline); {
		f.lock()
		f.progress()
		over := true
		for _, l := range f.links {
			over = over && (l == nil || l.over())
		}
		f.mu.Unlock()
		if over {
			break
		}
		time.Sleep(leastPause)
	}
	close(f.over)
	f.lock()
	f.closed = true
	f.mu.Unlock()
	f.group.leave(f)
	_ = unix.Close(f.eventfd)
}

// free closes the endpoint. No thread uses it any more.
func (f *fabric) free() {
	if f.freed {
		return
	}
	f.freed = true
	for _, l := range f.links {
		if l != nil {
			l.drop()
		}
	}
	if f.window != nil {
		f.window.close()
	}
	f.ep.close()
	for _, l := range f.links {
		if l != nil {
			l.unpin()
		}
	}
}

// group is the fabrics of one process in a run. They are freed together: provider shm lets ranks of
// one process write to each other's memory without a mapping of their own.
type group struct {
	mu     sync.Mutex
	open   int
	closed []*fabric
}

func (g *group) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open++
}

func (g *group) leave(f *fabric) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = append(g.closed, f)
	if g.open--; g.open > 0 {
		return
	}
	for _, f := range g.closed {
		f.free()
	}
	g.closed = nil
}

// free frees a fabric that is alone in its process at once.
func (g *group) free(f *fabric) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == 1 {
		f.free()
	}
}
