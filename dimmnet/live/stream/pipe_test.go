package stream

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipe carries the bytes from one rank to another within this process.
type pipe struct {
	mu     sync.Mutex
	b      []byte
	ended  bool
	notify bool // the writer wants to know when there is space
	reader bell
	writer bell
}

const pipeBytes = 100_000 // capacity: less than a piece

func (p *pipe) readable() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.b) > 0 || p.ended
}

func (p *pipe) writable() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.notify && len(p.b) < pipeBytes
}

func (p *pipe) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.reader.Wake()
}

// bell wakes the thread that waits, or the next thread that waits.
type bell chan struct{}

func (b bell) Wake() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// pipes implements Stream by two pipes.
type pipes struct{ in, out *pipe }

func (s pipes) Read(p []byte) (int, error) {
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	n := copy(p, s.in.b)
	s.in.b = s.in.b[n:]
	if n == 0 && s.in.ended {
		return 0, io.EOF
	}
	if s.in.notify {
		s.in.writer.Wake()
	}
	return n, nil
}

func (s pipes) Write(p []byte, _ bool) (int, error) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	n := min(len(p), pipeBytes-len(s.out.b))
	s.out.b = append(s.out.b, p[:n]...)
	s.out.reader.Wake()
	return n, nil
}

func (s pipes) NotifyWritable(on bool) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	if s.out.notify = on; on && len(s.out.b) < pipeBytes {
		s.out.writer.Wake() // there may be space since the last Write
	}
}

func (s pipes) Buffered() bool       { return false } // the poll checks the pipes themselves
func (s pipes) Flush() (bool, error) { return true, nil }
func (s pipes) CloseWrite()          { s.out.end() }
func (s pipes) Close(bool)           { s.out.end() }

func (s pipes) HungUp() bool {
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	return s.in.ended
}

// Ignore makes the pipe empty and not ended, so the poll never reports it again.
func (s pipes) Ignore() {
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	s.in.b, s.in.ended = nil, false
}

// pipePoll implements Poll by checking all pipes of a node.
type pipePoll struct {
	bell
	streams []Stream
}

func (p *pipePoll) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	for first := true; ; first = false {
		ready = ready[:0]
		for rank, s := range p.streams {
			if s, ok := s.(pipes); ok && len(ready) < cap(ready) && (s.in.readable() || s.out.writable()) {
				ready = append(ready, dimmnet.Rank(rank))
			}
		}
		if len(ready) > 0 || atMost == 0 || !first {
			return ready
		}
		select {
		case <-p.bell:
		case <-time.After(atMost):
		}
	}
}

func (p *pipePoll) Close() {}

// pipework is a dimmnet.Network over pipes.
type pipework struct{ sums Sums }

func (w pipework) Clock() dimmnet.Clock { return dimmnet.Wall }

func (w pipework) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return errors.New("pipes: nodes out of range")
	}
	bells := make([]bell, nodes)
	for i := range bells {
		bells[i] = make(bell, 1)
	}
	all := make([][]*pipe, nodes) // indexed by sender and receiver
	for from := range all {
		all[from] = make([]*pipe, nodes)
		for to := range all[from] {
			all[from][to] = &pipe{reader: bells[to], writer: bells[from]}
		}
	}
	cfg := Config{
		Network: "pipes", Sums: w.sums,
		Limits:   memory.Limits(1<<17, 72_000),
		Patience: time.Hour, Grace: 5 * time.Second,
		firstFrame: 1<<32 - 20, // so that most runs pass 2^32 frames
	}
	join := func(_ context.Context, m dimmnet.Member) (*Links, error) {
		l := &Links{Streams: make([]Stream, nodes), Near: make([]bool, nodes)}
		for peer := range nodes {
			if self := int(m.Rank()); peer != self {
				l.Streams[peer] = pipes{in: all[peer][self], out: all[self][peer]}
			}
		}
		l.Poll = &pipePoll{bell: bells[m.Rank()], streams: l.Streams}
		return l, nil
	}
	return Run(ctx, cfg, nil, nodes, join, body)
}

// TestPort runs the suite over pipes, which do only what Stream documents.
func TestPort(t *testing.T) {
	porttest.Run(t, func() dimmnet.Network { return pipework{sums: SumNone} })
}

// still is a Stepper that never makes progress.
type still struct{}

func (still) Step() (bool, error) { return false, nil }

// TestLateSpace checks that bytes that a stream does not accept at once are sent when there is
// space, even if the rank that posted them computes.
func TestLateSpace(t *testing.T) {
	const pages, page = 35, 4096 // more than the capacity of a pipe
	filled, landed := make(chan struct{}), make(chan struct{})
	err := pipework{sums: SumNone}.Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			<-filled
			defer close(landed)
			return dimmnet.Drive(p, still{}, func() bool { return p.Load(0) == 1 })
		}
		for range pages {
			if !p.Write(1, page, make([]byte, page)) {
				return errors.New("a Write was refused")
			}
		}
		if !p.Store(1, 0, 1, dimmnet.WordBytes) {
			return errors.New("the Store was refused")
		}
		if err := p.Err(); err != nil {
			return err
		}
		close(filled)
		select {
		case <-landed:
			return nil
		case <-time.After(20 * time.Second):
			return errors.New("the posts have not landed while this rank computed")
		}
	})
	if err != nil {
		t.Error(err)
	}
}
