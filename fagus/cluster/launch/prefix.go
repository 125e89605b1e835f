package launch

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
)

// longestLine is the number of bytes after which a line is broken. It bounds the memory of a rank
// that prints without end.
const longestLine = 16 << 20

// repeats counts the lines on standard error that several ranks of a job print. When one of 200
// ranks fails, the others say the same.
//
// Only lines of other ranks are repetitions. A rank may print a line several times, such as the
// first of each roll-call: its second time is compared with the second time of others.
type repeats struct {
	mu    sync.Mutex
	first map[occurrence]*repeated // the nth print of a line by any rank
	order []*repeated
	times map[occurrence]int // how often the rank with a tag has printed a line
}

// occurrence is a key of repeats.first, with nth, or of repeats.times, with tag.
type occurrence struct {
	line, tag string
	nth       int
}

type repeated struct {
	line string
	more int // number of times by other ranks
}

const (
	mostRepeats   = 1000     // lines that repeats remembers; later ones are printed as they come
	longestRepeat = 64 << 10 // bytes of the longest line that it remembers
	shownOfRepeat = 50       // bytes of a repeated line that are shown at the end
)

// add reports whether another rank has printed line as often as the rank with tag does now.
func (r *repeats) add(tag string, line []byte) bool {
	if len(line) > longestRepeat || line[0] == '\x1b' { // the last is no line for people
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
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
	r.mu.Lock()
	defer r.mu.Unlock()
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
	line  []byte   // the last line, which is incomplete
	once  *repeats // drops lines of other ranks; nil: all lines are written
}

func newPrefixer(to io.Writer, rank int, plain bool, once *repeats) *prefixer {
	return &prefixer{to: to, tag: fmt.Sprintf("%d: ", rank), plain: plain, once: once}
}

// Write writes the lines that p completes.
func (t *prefixer) Write(p []byte) (int, error) {
	if t.plain {
		return t.to.Write(p)
	}
	known := len(t.line) // no line ends there
	t.line = append(t.line, p...)
	var text []byte
	rest := t.line
	for {
		end := bytes.IndexByte(rest[known:], '\n') + 1
		if end == 0 && len(rest) < longestLine {
			break
		}
		if end += known; end == known || end > longestLine {
			end = longestLine
		}
		text = t.appendLine(text, rest[:end])
		rest, known = rest[end:], 0
	}
	if len(rest) < len(t.line) { // otherwise a long line would be moved with each Write
		t.line = append(t.line[:0], rest...)
	}
	if text == nil {
		return len(p), nil
	}
	if _, err := t.to.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what is left, as a line.
func (t *prefixer) flush() error {
	line := t.line
	t.line = nil
	if len(line) == 0 {
		return nil
	}
	_, err := t.to.Write(t.appendLine(nil, line))
	return err
}

// appendLine appends a line with its tag to text, unless it is a repetition.
func (t *prefixer) appendLine(text, line []byte) []byte {
	if t.once != nil && t.once.add(t.tag, line) {
		return text
	}
	text = append(append(text, t.tag...), line...)
	if line[len(line)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// locked is a writer that several goroutines use.
type locked struct {
	mu *sync.Mutex
	to io.Writer
}

// lockedPair makes two writers usable for several goroutines. They may be the same.
func lockedPair(out, errs io.Writer) (lockedOut, lockedErrs io.Writer) {
	first := &locked{new(sync.Mutex), out}
	if same(out, errs) {
		return first, &locked{first.mu, errs}
	}
	return first, &locked{new(sync.Mutex), errs}
}

func same(a, b io.Writer) bool {
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// Write implements io.Writer.
func (w *locked) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
