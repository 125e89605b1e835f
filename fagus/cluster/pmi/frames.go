package pmi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	frameHead = 6        // length of a frame's length, in bytes
	maxFrame  = 64 << 10 // maximum length of a frame without its head, as in MPICH's client
)

// formatFrame returns a message of PMI-2. Keys and values contain no semicolons.
func formatFrame(m message) []byte {
	var b bytes.Buffer
	b.WriteString("cmd=" + m.cmd + ";")
	for _, p := range m.pairs {
		b.WriteString(p.key + "=" + p.value + ";")
	}
	return fmt.Appendf(nil, "%*d%s", frameHead, b.Len(), &b)
}

// readFrame reads a message of PMI-2. The error is io.EOF only before the first byte.
func readFrame(r *bufio.Reader) (message, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return message{}, err
	}
	// Hydra writes the spaces before the number, Slurm after it.
	n, err := strconv.ParseUint(strings.Trim(string(head[:]), " "), 10, 32)
	if err != nil || n == 0 || n > maxFrame {
		return message{}, fmt.Errorf("the launcher sends %q before a message: want its length, 1 to %d", head, maxFrame)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return message{}, err
	}
	return parseFrame(string(body))
}

// parseFrame parses a message of PMI-2 without its length. Two semicolons are one in a value.
func parseFrame(body string) (message, error) {
	var m message
	for rest := body; rest != ""; {
		key, after, found := strings.Cut(rest, "=")
		if !found || strings.Contains(key, ";") {
			return message{}, fmt.Errorf("the launcher sends %.80q in a message: want key=value;", rest)
		}
		value, after, found := cutValue(after)
		if !found {
			return message{}, fmt.Errorf("the launcher sends %.80q at the end of a message: want key=value;", rest)
		}
		m.pairs, rest = append(m.pairs, pair{key, value}), after
	}
	if len(m.pairs) == 0 || m.pairs[0].key != "cmd" {
		return message{}, fmt.Errorf("the launcher sends the message %.80q: want one that begins with cmd=", body)
	}
	m.cmd, m.pairs = m.pairs[0].value, m.pairs[1:]
	return m, nil
}

// cutValue cuts text after its first single semicolon.
func cutValue(text string) (value, after string, found bool) {
	var b strings.Builder
	for {
		part, rest, found := strings.Cut(text, ";")
		b.WriteString(part)
		if !found {
			return "", "", false
		}
		if text, found = strings.CutPrefix(rest, ";"); !found {
			return b.String(), rest, true
		}
		b.WriteByte(';')
	}
}
