package launch

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// longestLine is the number of bytes after which a line is broken.
const longestLine = 64 << 10

// prefixer writes the whole lines of one rank's output, after the rank, to a shared writer.
type prefixer struct {
	to    io.Writer
	tag   string
	plain bool
	mu    *sync.Mutex // held while a prefixer writes to the shared writer
	line  []byte      // the last line, which is incomplete
}

func newPrefixer(to io.Writer, rank int, plain bool, mu *sync.Mutex) *prefixer {
	return &prefixer{to: to, tag: fmt.Sprintf("%d: ", rank), plain: plain, mu: mu}
}

// Write writes the lines that p completes.
func (t *prefixer) Write(p []byte) (int, error) {
	if t.plain {
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.to.Write(p)
	}
	t.line = append(t.line, p...)
	for {
		end := bytes.IndexByte(t.line, '\n') + 1
		if end == 0 && len(t.line) < longestLine {
			return len(p), nil
		}
		if end == 0 || end > longestLine {
			end = longestLine
		}
		if err := t.put(t.line[:end]); err != nil {
			return 0, err
		}
		t.line = t.line[end:]
	}
}

func (t *prefixer) flush() error {
	if len(t.line) == 0 {
		return nil
	}
	line := t.line
	t.line = nil
	return t.put(line)
}

func (t *prefixer) put(line []byte) error {
	text := append([]byte(t.tag), line...)
	if text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := t.to.Write(text)
	return err
}
