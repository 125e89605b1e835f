package stream

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// told is a Stream that records what a node asks of it, and panics when it is used after Close.
type told struct {
	narrow
	calls  []string
	end    error // of Read, when all is read; nil: there is none
	notify bool  // the last argument of NotifyWritable
	closed bool
}

func (s *told) note(call string) {
	if s.closed {
		panic(call + " after Close")
	}
	s.calls = append(s.calls, call)
}

func (s *told) Read(p []byte) (int, error) {
	if n, _ := s.tape.Read(p); n > 0 || s.end == nil {
		return n, nil
	}
	s.note("read end")
	return 0, s.end
}

func (s *told) NotifyWritable(on bool) { s.note(fmt.Sprint("notify ", on)); s.notify = on }
func (s *told) CloseWrite()            { s.note("close write") }
func (s *told) Ignore()                { s.note("ignore") }
func (s *told) Close(gone bool)        { s.note(fmt.Sprint("close ", gone)); s.closed = true }

func (s *told) count(call string) (n int) {
	for _, c := range s.calls {
		if c == call {
			n++
		}
	}
	return n
}

// endedPoll and endedBeats count the calls of Close.
type endedPoll struct {
	deaf
	closed *int
}

func (p endedPoll) Close() { *p.closed++ }

type endedBeats struct {
	rhythm
	received, closed int
}

func (b *endedBeats) Receive() { b.received++ }
func (b *endedBeats) Close()   { b.closed++ }

// endedDemand counts the calls of Close.
type endedDemand struct {
	OnDemand
	closed int
}

func (d *endedDemand) Close() { d.closed++ }

// toldNode returns rank 0 of some ranks. Its streams record what is asked of them.
func toldNode(nodes int) (n *node, streams []*told, links *Links, closed *int) {
	closed = new(int)
	links = &Links{Streams: make([]Stream, nodes), Near: make([]bool, nodes), Poll: endedPoll{deaf{make(bell, 1)}, closed}, Beats: new(endedBeats)}
	streams = make([]*told, nodes)
	for r := 1; r < nodes; r++ {
		streams[r] = new(told)
		links.Streams[r] = streams[r]
	}
	cfg := Config{Network: "told", Limits: dimmnet.Limits{Store: word, LLCM: 64, Block: 64}, Patience: time.Hour}
	n = newNode(&run{cfg: cfg, load: newLoad()}, 0, links)
	n.late.set.Store(true) // so that the timer sends nothing
	return n, streams, links, closed
}

// TestAsksForSpace: an outbox asks its stream to report space whenever the stream has not accepted
// all bytes, even if it has accepted some. It stops asking when all bytes are on their way, or the
// stream is closed.
func TestAsksForSpace(t *testing.T) {
	for _, end := range []string{"all is accepted", "the stream is closed"} {
		s := new(told)
		o, _, _ := newOutbox(s)
		for i, space := range []int{0, 10, headerBytes, 1} {
			s.notify, s.space = false, space
			if o.post(store, word, 0, make([]byte, word)); i == 0 {
				o.flush()
			}
			if o.flush(); !s.notify || s.space > 0 {
				t.Fatalf("step %d: a stream that has accepted a part is not asked to report space", i)
			}
		}
		if end == "all is accepted" {
			s.space = 1 << 20
			o.flush()
		} else {
			o.close()
		}
		if s.notify || o.waiting.Load() {
			t.Errorf("%s: the stream is still asked to report space", end)
		}
	}
}

// TestStreamsAreEnded: closing a node closes the stream to each peer, once, and tells it whether
// the peer is gone. It also closes the poll and the beats.
func TestStreamsAreEnded(t *testing.T) {
	const nodes = 6
	n, streams, links, closed := toldNode(nodes)
	n.gone(2)
	n.gone(5)
	d := new(endedDemand)
	n.demand = d
	n.close()
	for r := 1; r < nodes; r++ {
		if want := fmt.Sprint("close ", r == 2 || r == 5); streams[r].count(want) != 1 || !streams[r].closed {
			t.Errorf("the stream to rank %d was asked for %v, want %q once", r, streams[r].calls, want)
		}
	}
	if beats := links.Beats.(*endedBeats); *closed != 1 || beats.closed != 1 || d.closed != 1 {
		t.Errorf("the poll is closed %d times, the beats %d, the connections on demand %d: want once", *closed, beats.closed, d.closed)
	}
	p := n.newPort("")
	for r := 1; r < nodes; r++ { // nothing is asked of a closed stream
		p.Send(dimmnet.Rank(r), make([]byte, 10))
		p.Store(dimmnet.Rank(r), 0, 1, 8)
		p.Receive(dimmnet.Rank(r), make([]byte, 10))
	}
	n.flushAll()
	n.serveAll()
}

// TestLinksAreClosed: Links that no node takes over close all their parts.
func TestLinksAreClosed(t *testing.T) {
	_, streams, links, closed := toldNode(4)
	d := new(endedDemand)
	links.Demand = d
	links.Close()
	for r := 1; r < 4; r++ {
		if !streams[r].closed {
			t.Errorf("the stream to rank %d is open", r)
		}
	}
	if *closed != 1 || links.Beats.(*endedBeats).closed != 1 || d.closed != 1 {
		t.Errorf("the poll is closed %d times, the beats %d, the connections on demand %d: want once", *closed, links.Beats.(*endedBeats).closed, d.closed)
	}
	(&Links{Streams: make([]Stream, 2)}).Close() // without any parts
}

// TestEndedStreamIsIgnored: when a stream has ended, for any reason, it is no longer read or
// reported by the poll, and everything that waits for it is dropped.
func TestEndedStreamIsIgnored(t *testing.T) {
	for name, end := range map[string]func(s *told){
		"end":         func(s *told) { s.end = io.EOF },
		"broken":      func(s *told) { s.end = io.ErrUnexpectedEOF },
		"wrong frame": func(s *told) { s.in = bytes.Repeat([]byte{9}, 100) },
	} {
		n, streams, _, _ := toldNode(4)
		p := n.newPort("")
		for r := 1; r < 4; r++ {
			p.Store(dimmnet.Rank(r), 0, 1, 8)
		}
		n.flushAll()
		end(streams[2])
		for range 3 {
			n.serveAll()
		}
		q := n.peers[2]
		if streams[2].count("ignore") != 1 || streams[2].count("read end") > 1 || !q.ended || q.out.waiting.Load() || streams[2].notify {
			t.Errorf("%s: the stream was asked for %v; ended %t, frames wait %t", name, streams[2].calls, q.ended, q.out.waiting.Load())
		}
		for _, r := range []int{1, 3} {
			if streams[r].count("ignore") > 0 || n.peers[r].ended {
				t.Errorf("%s of rank 2: the stream to rank %d was asked for %v", name, r, streams[r].calls)
			}
		}
		if n.fault.err == nil || !strings.Contains(n.fault.err.Error(), "rank 2") {
			t.Errorf("%s: the run fails with %v", name, n.fault.err)
		}
	}
}

// TestFailureReachesAll: the report of a failure is in the outbox of each peer, whatever else
// waits there, and all writing ends are closed when the run settles.
func TestFailureReachesAll(t *testing.T) {
	const nodes = 5
	n, streams, _, _ := toldNode(nodes)
	n.shared.cfg.Grace = time.Nanosecond
	p := n.newPort("")
	for p.Store(2, 0, 1, 8) { // one outbox is full
	}
	boom := io.ErrClosedPipe
	n.fail(0, boom, boom)
	for r := 1; r < nodes; r++ {
		streams[r].space = 1 << 20
	}
	n.flushAll()
	for r := 1; r < nodes; r++ {
		if !bytes.Contains(streams[r].out, []byte(boom.Error())) {
			t.Errorf("rank %d does not learn why the run has failed", r)
		}
	}
	close(n.over) // no thread is left in the run
	for r := 1; r < nodes; r++ {
		streams[r].end = io.EOF // the peers end, too
	}
	n.settle()
	for r := 1; r < nodes; r++ {
		at := slices.Index(streams[r].calls, "close write")
		if streams[r].count("close write") != 1 || at < 0 {
			t.Errorf("the stream to rank %d was asked for %v", r, streams[r].calls)
		}
	}
}

// TestWatchServes: a watch sends beats when it begins, receives in each turn, and has ended when
// stop returns.
func TestWatchServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _, links, _ := toldNode(2)
		n.shared.cfg.Stall, n.shared.cfg.Joining = time.Hour, time.Hour
		beats := links.Beats.(*endedBeats)
		beats.heard = make([]uint64, 2)
		stop := n.watch()
		time.Sleep(10*time.Second + receiveTime/2)
		stop()
		if sent, received := 1+int(10*time.Second/n.shared.cfg.beatTime()), 1+int(10*time.Second/receiveTime); beats.sent != sent || beats.received != received {
			t.Errorf("in 10 s, %d beats are sent, and %d times received: want %d and %d", beats.sent, beats.received, sent, received)
		}
		received := beats.received
		if time.Sleep(time.Second); beats.received != received {
			t.Error("the watch goes on after stop")
		}
	})
}
