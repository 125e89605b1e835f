package launch

import (
	"bytes"
	"sync"
)

// The output of ranks on other hosts travels with the reports about them. A launcher must hear of
// failures even if the reader of its output is slow: at most a window of output that the launcher
// has not taken is on its way.
const (
	window = 256 << 10
	// largestReport is the most output in one report: it must not delay a sign of life for long.
	largestReport = 64 << 10
)

// inflow is the output that a launcher has received, but not yet taken.
type inflow struct {
	taken func(bytes int) // is called when bytes are taken

	mu     sync.Mutex
	text   bytes.Buffer
	closed bool
	more   sync.Cond // text is not empty, or closed is set
}

func newInflow(taken func(bytes int)) *inflow {
	f := &inflow{taken: taken}
	f.more.L = &f.mu
	return f
}

// put adds output. It never blocks: the agent keeps to the window.
func (f *inflow) put(text []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text.Write(text)
	f.more.Signal()
}

// Read takes output. It returns io.EOF after Close.
func (f *inflow) Read(p []byte) (n int, err error) {
	f.mu.Lock()
	for f.text.Len() == 0 && !f.closed {
		f.more.Wait()
	}
	n, err = f.text.Read(p)
	f.mu.Unlock()
	if n > 0 {
		f.taken(n)
	}
	return n, err
}

// Close says that no output follows.
func (f *inflow) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.more.Signal()
	return nil
}

// outflow sends the output of an agent's ranks, as far as the launcher takes it.
type outflow struct {
	send func(text []byte) error
	turn sync.Mutex // held by Write

	mu   sync.Mutex
	left int // of the window
	room sync.Cond
}

func newOutflow(send func(text []byte) error) *outflow {
	f := &outflow{send: send, left: window}
	f.room.L = &f.mu
	return f
}

// taken is called when the launcher has taken bytes.
func (f *outflow) taken(bytes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left += bytes
	f.room.Signal()
}

// Write implements io.Writer.
func (f *outflow) Write(p []byte) (n int, err error) {
	f.turn.Lock()
	defer f.turn.Unlock()
	for n < len(p) {
		piece := p[n:][:f.reserve(len(p)-n)]
		if err := f.send(piece); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}

// reserve waits for room in the window, and returns how many of the bytes to send now.
func (f *outflow) reserve(bytes int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.left == 0 {
		f.room.Wait()
	}
	now := min(bytes, f.left, largestReport)
	f.left -= now
	return now
}
