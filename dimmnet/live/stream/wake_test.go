package stream

import (
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// patient bounds waits that are short unless the code is wrong.
const patient = 10 * time.Second

// deaf is a Poll that reports no stream. Its Wait ends only after Wake.
type deaf struct{ bell }

func (d deaf) Wait(ready []dimmnet.Rank, _ time.Duration) []dimmnet.Rank {
	select {
	case <-d.bell:
	case <-time.After(2 * patient):
	}
	return ready[:0]
}

func (d deaf) Close() {}

// lazy is a tape that accepts no bytes in its first Writes.
type lazy struct {
	mu     sync.Mutex
	refuse int
	tape
}

func (l *lazy) Write(p []byte, more bool) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuse > 0 {
		l.refuse--
		return 0, nil
	}
	return l.tape.Write(p, more)
}

func (l *lazy) written() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out
}

// newDeaf returns rank 0 of a run with a deaf Poll, and by rank the streams to its peers. Each
// stream refuses its first Writes.
func newDeaf(nodes, refuse int) (*node, []*lazy) {
	l := &Links{Streams: make([]Stream, nodes), Near: make([]bool, nodes), Poll: deaf{make(bell, 1)}}
	streams := make([]*lazy, nodes)
	for rank := 1; rank < nodes; rank++ {
		streams[rank] = &lazy{refuse: refuse}
		l.Streams[rank] = streams[rank]
	}
	cfg := Config{Network: "deaf", Limits: dimmnet.Limits{Store: word, LLCM: 64, Block: 64}, Patience: time.Hour}
	return newNode(&run{cfg: cfg, load: newLoad(), start: time.Now()}, 0, l), streams
}

// eventually waits until done returns true.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); time.Sleep(100 * time.Microsecond) {
		if time.Since(begun) > patient {
			t.Fatalf("%s: not within %v", what, patient)
		}
	}
}

// TestSleepersWake checks that every cause wakes the thread that sleeps in the poll, and a thread
// that sleeps beside it, without help from the bound on a sleep.
func TestSleepersWake(t *testing.T) {
	boom := errors.New("boom")
	for name, cause := range map[string]func(n *node, all []*event){
		"failure":       func(n *node, _ []*event) { n.fail(0, boom, boom) },
		"loss":          func(n *node, _ []*event) { n.lost(1, boom) },
		"events":        func(_ *node, all []*event) { all[0].Set(); all[1].Set() },
		"other order":   func(_ *node, all []*event) { all[1].Set(); all[0].Set() },
		"notice, event": func(n *node, all []*event) { peerEvents{node: n}.notified(1); all[1].Set() },
	} {
		n, _ := newDeaf(2, 0)
		all := []*event{n.notice, {node: n}}
		if name != "notice, event" {
			all[0] = &event{node: n}
		}
		ended := make(chan error, 2)
		for _, e := range all {
			go func() { ended <- e.Wait() }()
			eventually(t, name+": the leader sleeps", n.sleeping.inPoll.Load)
		}
		eventually(t, name+": both sleep", func() bool { return n.sleeping.count.Load() == 2 })
		cause(n, all)
		for range 2 {
			select {
			case err := <-ended:
				if want := name == "failure" || name == "loss"; (err != nil) != want {
					t.Errorf("%s: a thread wakes with error %v, want an error: %t", name, err, want)
				}
			case <-time.After(patient):
				t.Fatalf("%s: a thread is not woken", name)
			}
		}
	}
}

// TestIdleWakes checks that posts of a rank to itself, and space for posts that were refused, wake
// a thread in Idle.
func TestIdleWakes(t *testing.T) {
	for name, cause := range map[string]func(n *node, p *port){
		"own Store": func(n *node, p *port) { n.newPort("other").Store(0, 8, 1, word) },
		"space":     func(n *node, p *port) { n.spaceFreed() },
		"failure":   func(n *node, p *port) { n.lost(1, errors.New("boom")) },
	} {
		n, _ := newDeaf(2, 0)
		p := n.newPort("")
		p.refused = true
		woken := make(chan struct{})
		go func() {
			p.Idle(p.Arrivals())
			close(woken)
		}()
		eventually(t, name+": the leader sleeps", n.sleeping.inPoll.Load)
		cause(n, p)
		select {
		case <-woken:
		case <-time.After(patient):
			t.Fatalf("%s: the thread is not woken", name)
		}
		n.late.timer.Stop()
	}
}

// TestSuccessor checks that another sleeping thread serves the peers when the leader leaves.
func TestSuccessor(t *testing.T) {
	n, _ := newDeaf(2, 0)
	all := []*event{{node: n}, {node: n}, {node: n}}
	ended := make(chan error, len(all))
	for i, e := range all {
		go func() { ended <- e.Wait() }()
		eventually(t, "a thread sleeps", func() bool { return n.sleeping.count.Load() == int32(i+1) && n.sleeping.inPoll.Load() })
	}
	for left := len(all); left > 0; left-- {
		eventually(t, "a thread leads", n.sleeping.inPoll.Load)
		n.mu.Lock()
		for _, e := range all {
			if e.sleeper != nil && e.sleeper == n.sleeping.leader {
				e.set = true
			}
		}
		n.wake(n.sleeping.leader)
		n.mu.Unlock()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		eventually(t, "a thread leaves", func() bool { return n.sleeping.count.Load() == int32(left-1) })
	}
}

// TestLateTimer checks that the timer sends posts that the streams do not accept at once, though
// the thread that posted them does not call its port again.
func TestLateTimer(t *testing.T) {
	n, streams := newDeaf(3, 20)
	p := n.newPort("")
	for rank := dimmnet.Rank(1); rank < 3; rank++ {
		if !p.Store(rank, 8, 1, word) {
			t.Fatal("a Store was refused")
		}
	}
	for rank, s := range streams[1:] {
		eventually(t, "a Store is sent", func() bool { return len(s.written()) == headerBytes+word })
		if b := s.written(); kind(b[2]) != store {
			t.Errorf("rank %d gets a frame of kind %v", rank+1, kind(b[2]))
		}
	}
	n.late.timer.Stop()
}

// TestFlushAllPeers checks that Err and Idle send the gathered posts to every peer.
func TestFlushAllPeers(t *testing.T) {
	n, streams := newDeaf(4, 0)
	p := n.newPort("")
	n.late.set.Store(true) // so that the timer sends nothing
	for rank := dimmnet.Rank(1); rank < 4; rank++ {
		if !p.Store(rank, 8, 1, word) {
			t.Fatal("a Store was refused")
		}
	}
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	for rank, s := range streams[1:] {
		if got := len(s.written()); got != headerBytes+word {
			t.Errorf("rank %d gets %d bytes, want %d", rank+1, got, headerBytes+word)
		}
	}
}

// TestBlame checks that the report of a failure names the rank that caused it to every peer.
func TestBlame(t *testing.T) {
	n, streams := newDeaf(4, 0)
	n.lost(2, errors.New("it has gone"))
	for rank, s := range streams[1:] {
		b := s.written()
		h, err := decode(b, &n.limits, n.sums)
		if err != nil || h.kind != failure || len(b) != headerBytes+h.n {
			t.Fatalf("rank %d gets %v, %v; want one report", rank+1, h, err)
		}
		if got := binary.LittleEndian.Uint16(b[headerBytes:]); got != 2 {
			t.Errorf("rank %d learns that rank %d has failed, want rank 2", rank+1, got)
		}
		if why := string(b[headerBytes+rankBytes:]); !strings.Contains(why, "it has gone") {
			t.Errorf("rank %d learns the reason %q", rank+1, why)
		}
	}
}

// TestQuiet checks that an outbox is not quiet while anything is to be sent, or a Push or Pull is
// not complete. It calls onSpace when it becomes quiet.
func TestQuiet(t *testing.T) {
	const from, to, done, n = 0, 16, 32, 8
	for name, c := range map[string]struct {
		post func(o *outbox) bool
		end  func(o *outbox) error
	}{
		"frame": {func(o *outbox) bool { return o.post(store, word, to, make([]byte, word)) }, func(o *outbox) error {
			o.flush()
			return nil
		}},
		"Push": {func(o *outbox) bool { return o.push(from, to, n, done) }, func(o *outbox) error {
			_, err := o.endPush()
			return err
		}},
		"Pull": {func(o *outbox) bool { return o.pull(from, to, n, done) }, func(o *outbox) error {
			_, ended := o.advance(&header{kind: pulled, off: to, n: n, arg: 1})
			if !ended {
				return errors.New("the Pull has not ended")
			}
			return nil
		}},
	} {
		memory := newNIC(nil, dimmnet.Limits{Store: word, LLCM: 64, Block: 64, RDMA: 64}, SumAll)
		freed := 0
		o := &outbox{stream: &tape{}, nic: &memory, onSpace: func() { freed++ }, onSent: func() {}}
		if !o.quiet() {
			t.Errorf("%s: not quiet before", name)
		}
		if !c.post(o) {
			t.Fatalf("%s: refused", name)
		}
		if o.quiet() {
			t.Errorf("%s: quiet while it is in progress", name)
		}
		before := freed
		if err := c.end(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if freed == before {
			t.Errorf("%s: nobody is told that it has ended", name)
		}
		if !o.quiet() {
			t.Errorf("%s: not quiet after its end", name)
		}
	}
}

// TestBehindZeroCopy checks that a goodbye is noticed though it follows a zero-copy piece that
// this rank does not receive: when the rank has ended, and when a failed run abandons the pieces.
func TestBehindZeroCopy(t *testing.T) {
	for name, end := range map[string]func(n *node){
		"end":     (*node).linger,
		"abandon": func(n *node) { n.newPort("").Abandon() },
	} {
		n, streams := newDeaf(2, 0)
		streams[1].in = new(frames).add(zeroCopy, 1, 0, noise(40)).add(goodbye, 0, 0, nil).b
		n.serveAll()
		if q := n.peers[1]; !q.in.blocked || q.goodbyeReceived.Load() {
			t.Fatalf("%s: the piece is not in the way", name)
		}
		ended := make(chan struct{})
		go func() {
			end(n)
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(patient):
			t.Fatalf("%s: the goodbye is not noticed", name)
		}
		if !n.peers[1].goodbyeReceived.Load() {
			t.Errorf("%s: the goodbye is not noticed", name)
		}
	}
}

// alone is a deaf Poll that counts the Waits that begin during another. It loses some wake-ups,
// and returns late.
type alone struct {
	deaf
	inside atomic.Int32
	second atomic.Int32 // number of Waits that began during another
	lose   atomic.Int32 // number of wake-ups to lose
}

func (a *alone) Wake() {
	if a.lose.Add(-1) < 0 {
		a.deaf.Wake()
	}
}

func (a *alone) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	if a.inside.Add(1) > 1 {
		a.second.Add(1)
	}
	defer a.inside.Add(-1)
	if atMost <= time.Millisecond {
		time.Sleep(atMost)
		return ready[:0]
	}
	defer time.Sleep(10 * time.Millisecond)
	return a.deaf.Wait(ready, atMost)
}

func (a *alone) Close() { a.second.Add(a.inside.Load()) }

// TestLeaderLeaves checks that the end of a run waits until the sleeping leader has left the poll,
// and wakes the leader itself if the failure's wake-up did not.
func TestLeaderLeaves(t *testing.T) {
	for name, end := range map[string]func(n *node){"settle": (*node).settle, "close": (*node).close} {
		for lose := range int32(2) {
			n, _ := newDeaf(2, 3)
			a := &alone{deaf: deaf{make(bell, 1)}}
			a.lose.Store(lose)
			n.poll = a
			woken, ended := make(chan error, 1), make(chan struct{})
			go func() { woken <- (&event{node: n}).Wait() }()
			eventually(t, "the leader sleeps", func() bool { return a.inside.Load() == 1 })
			close(n.over)
			n.fail(0, errors.New("boom"), errors.New("boom"))
			go func() {
				end(n)
				close(ended)
			}()
			select {
			case <-ended:
			case <-time.After(patient):
				t.Fatalf("%s: still waits for the leader, %d wake-ups lost", name, lose)
			}
			if a.second.Load() > 0 {
				t.Errorf("%s: another thread uses the poll of the leader, %d wake-ups lost", name, lose)
			}
			if err := <-woken; err == nil {
				t.Errorf("%s: the leader wakes without an error", name)
			}
		}
	}
}

// arriving is a Poll in whose first Wait bytes arrive on a stream. It reports the stream always.
type arriving struct {
	deaf
	stream *lazy
	b      []byte
}

func (a *arriving) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	if atMost == 0 {
		return ready[:0]
	}
	a.stream.in, a.b = append(a.stream.in, a.b...), nil
	return append(ready[:0], 1)
}

// TestLeaderBeforeZeroCopy: something arrives, and behind it a zero-copy piece that must wait for
// a Receive. The leader must not pause, because that Receive comes from the leader itself. It
// pauses while only the piece is there.
func TestLeaderBeforeZeroCopy(t *testing.T) {
	n, streams := newDeaf(2, 0)
	p := n.newPort("")
	word8 := binary.LittleEndian.AppendUint64(nil, 7)
	n.poll = &arriving{stream: streams[1], b: new(frames).add(store, word, 8, word8).add(zeroCopy, 1, 0, noise(40)).b}
	p.Idle(p.Arrivals())
	if !n.peers[1].in.blocked || n.LLCM.Load(8) != 7 {
		t.Fatalf("blocked: %t, the word is %d: want the Store alone to have landed", n.peers[1].in.blocked, n.LLCM.Load(8))
	}
	if got := n.sleeping.pauses.Load(); got != 0 {
		t.Errorf("the leader pauses %d times after an arrival, want 0", got)
	}
	woken := make(chan struct{})
	go func() {
		p.Idle(p.Arrivals())
		close(woken)
	}()
	eventually(t, "the leader pauses", func() bool { return n.sleeping.pauses.Load() > 0 })
	n.newPort("other").Store(0, 16, 1, word)
	select {
	case <-woken:
	case <-time.After(patient):
		t.Fatal("the leader does not wake")
	}
	n.late.timer.Stop()
}
