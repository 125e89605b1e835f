package text

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// maxLine is the longest accepted line in bytes.
const maxLine = 1 << 16

// Lines splits a text into lines, and lines into fields.
type Lines struct {
	scan       *bufio.Scanner
	comments   string // bytes that begin a comment
	separators string // characters between fields, besides blanks
	line       int    // number of the last line read, from 1
	fields     []string
}

// NewLines returns the lines of r. Each byte of comments begins a comment, which ends with the
// line. Fields are separated by blanks and the characters of separators.
func NewLines(r io.Reader, comments, separators string) *Lines {
	l := &Lines{scan: bufio.NewScanner(r), comments: comments, separators: separators}
	l.scan.Buffer(make([]byte, 4096), maxLine+len("\r\n"))
	return l
}

// Errorf returns an error that names the line read last.
func (l *Lines) Errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", max(1, l.line), fmt.Errorf(format, args...))
}

// Line returns the number of the line read last, from 1; 0 before the first.
func (l *Lines) Line() int { return l.line }

// Text returns the next line, or io.EOF.
func (l *Lines) Text() (string, error) {
	scanned := l.scan.Scan()
	err := l.scan.Err() // after an error of the reader, the scanned line may be incomplete
	if scanned || err != nil {
		l.line++
	}
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return "", l.Errorf("longer than %d bytes", maxLine)
	case err != nil:
		return "", l.Errorf("%w", WithoutPath(err))
	case !scanned:
		return "", io.EOF
	case len(l.scan.Bytes()) > maxLine:
		return "", l.Errorf("longer than %d bytes", maxLine)
	}
	return l.scan.Text(), nil
}

// Next returns the fields of the next line that has some, or io.EOF; the next call overwrites them.
func (l *Lines) Next() ([]string, error) {
	for {
		text, err := l.Text()
		if err != nil {
			return nil, err
		}
		if at := strings.IndexAny(text, l.comments); at >= 0 {
			text = text[:at]
		}
		l.fields = l.fields[:0]
		for f := range strings.FieldsFuncSeq(text, l.between) {
			l.fields = append(l.fields, f)
		}
		if len(l.fields) > 0 {
			return l.fields, nil
		}
	}
}

func (l *Lines) between(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(l.separators, r)
}
