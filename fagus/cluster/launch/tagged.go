package launch

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// longestLine is where a line without an end is broken.
const longestLine = 64 << 10

// tagged writes whole lines of a rank to what all ranks write to.
type tagged struct {
	to    io.Writer
	tag   string
	plain bool
	one   *sync.Mutex
	line  []byte // what has no end yet
}

func newTagged(to io.Writer, rank int, plain bool, one *sync.Mutex) *tagged {
	return &tagged{to: to, tag: fmt.Sprintf("%d: ", rank), plain: plain, one: one}
}

// Write passes on all lines that end in p.
func (t *tagged) Write(p []byte) (int, error) {
	if t.plain {
		t.one.Lock()
		defer t.one.Unlock()
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

// flush writes what has no end.
func (t *tagged) flush() error {
	if len(t.line) == 0 {
		return nil
	}
	line := t.line
	t.line = nil
	return t.put(line)
}

func (t *tagged) put(line []byte) error {
	text := append([]byte(t.tag), line...)
	if text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	t.one.Lock()
	defer t.one.Unlock()
	_, err := t.to.Write(text)
	return err
}
