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
//
// Only lines of other ranks are repetitions. A rank may print a line several times, such as the
// first of each roll-call: its second time is compared with the second time of others.
type repeats struct {
	first map[occurrence]*repeated
	order []*repeated
	times map[occurrence]int // by line and tag: how often the rank has printed it
}

// occurrence is a line that a rank prints for the nth time, or a line and the tag of a rank.
type occurrence struct {
	line, tag string
	nth       int
}

type repeated struct {
	line string
	more int // number of times by other ranks
}

// mostRepeats bounds the lines that repeats remembers. Later lines are printed as they come.
const mostRepeats = 1000

// shownOfRepeat is how many bytes of a repeated line are shown at the end.
const shownOfRepeat = 50

// add reports whether another rank than that of tag has printed line as often as it does now.
func (r *repeats) add(tag string, line []byte) bool {
	if r.first == nil {
		r.first, r.times = map[occurrence]*repeated{}, map[occurrence]int{}
	}
	text := string(line)
	own := occurrence{line: text, tag: tag}
	at := occurrence{line: text, nth: r.times[own]}
	if seen := r.first[at]; seen != nil {
		r.times[own]++
		seen.more++
		return true
	}
	if len(r.order) < mostRepeats {
		r.times[own]++
		one := &repeated{line: text}
		r.first[at] = one
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
	if t.once != nil && t.once.add(t.tag, line) {
		return nil
	}
	_, err := t.to.Write(text)
	return err
}
