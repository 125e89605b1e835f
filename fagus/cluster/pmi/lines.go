package pmi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// maxLine bounds a line from the launcher in bytes. A line with a value has about 1100.
	maxLine = 4 << 10
	// ownLine bounds a line to the launcher in bytes. The server of PMI-1 in Slurm 22.05 has a
	// buffer of 1024 bytes and cuts what is longer.
	ownLine = 1023
)

// formatLine returns a message of PMI-1. Keys and values contain neither spaces nor newlines.
func formatLine(m message) []byte {
	var b bytes.Buffer
	b.WriteString("cmd=" + m.cmd)
	for _, p := range m.pairs {
		b.WriteString(" " + p.key + "=" + p.value)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// readLine reads a message of PMI-1. r has a buffer of maxLine bytes. The error is io.EOF only
// before the first byte.
func readLine(r *bufio.Reader) (message, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return message{}, fmt.Errorf("the launcher sends a line of more than %d bytes, which begins %.40q", maxLine, line)
	case err == io.EOF && len(line) > 0:
		return message{}, io.ErrUnexpectedEOF
	case err != nil:
		return message{}, err
	}
	return parseLine(string(line[:len(line)-1]))
}

// parseLine parses a message of PMI-1 without its newline. A word without "=" continues the value
// before it, as in msg=no such key.
func parseLine(line string) (message, error) {
	cmd, found := strings.CutPrefix(line, "cmd=")
	if !found {
		return message{}, fmt.Errorf("the launcher sends the line %.80q: want one that begins with cmd=", line)
	}
	words := strings.Split(cmd, " ")
	m := message{cmd: words[0]}
	for _, word := range words[1:] {
		key, value, found := strings.Cut(word, "=")
		switch {
		case word == "":
		case found:
			m.pairs = append(m.pairs, pair{key, value})
		case len(m.pairs) > 0:
			m.pairs[len(m.pairs)-1].value += " " + word
		default:
			return message{}, fmt.Errorf("the launcher sends the line %.80q: want key=value after the command", line)
		}
	}
	return m, nil
}
