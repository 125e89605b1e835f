package launch

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
)

// longestLine is the number of bytes after which a line is broken.
const longestLine = 64 << 10

// repeats counts the lines on standard error that several ranks of a job print. When one of 200
// ranks fails, the others say the same.
type repeats struct {
	first map[string]*repeated // by line
	order []*repeated
}

type repeated struct {
	line string
	more int // number of times after the first
}

// mostRepeats bounds the lines that repeats remembers. Later lines are printed as they come.
const mostRepeats = 1000

// shownOfRepeat is how many bytes of a repeated line are shown at the end.
const shownOfRepeat = 50

// add reports whether line has come before.
func (r *repeats) add(line []byte) bool {
	if seen := r.first[string(line)]; seen != nil {
		seen.more++
		return true
	}
	if len(r.order) < mostRepeats {
		if r.first == nil {
			r.first = map[string]*repeated{}
		}
		one := &repeated{line: string(line)}
		r.first[one.line] = one
		r.order = append(r.order, one)
	}
	return false
}

// print writes how often each line was repeated.
func (r *repeats) print(to io.Writer) error {
	for _, one := range r.order {
		if one.more > 0 {
			start := strings.ToValidUTF8(one.line[:min(len(one.line), shownOfRepeat)], "")
			if _, err := fmt.Fprintf(to, "%d times more: %s...\n", one.more, strings.TrimSuffix(start, "\n")); err != nil {
				return err
			}
		}
	}
	return nil
}

// prefixer writes the whole lines of one rank's output, after the rank, to a shared writer.
type prefixer struct {
	to    io.Writer
	tag   string
	plain bool
	mu    *sync.Mutex // held while a prefixer writes to the shared writer
	line  []byte      // the last line, which is incomplete
	once  *repeats    // drops lines of other ranks; nil: all lines are written
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
	if t.once != nil && t.once.add(line) {
		return nil
	}
	_, err := t.to.Write(text)
	return err
}
