package peers

import (
	"strings"
	"sync"
)

// tail is a writer that keeps only the last bytes written to it.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailBytes = 2 << 10

// Write appends p and drops the beginning, so that at most tailBytes remain.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-tailBytes):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.last))
}
