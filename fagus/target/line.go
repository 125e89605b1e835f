package target

import (
	"bufio"
	"fmt"
	"io"
)

// line is an end of a connection. Data go from memory to memory: nothing is made for them.
type line struct {
	in  *bufio.Reader
	out *bufio.Writer
}

func newLine(conn io.ReadWriter) line { return line{bufio.NewReader(conn), bufio.NewWriter(conn)} }

// send writes a question or an answer, and the data that it announces.
func (l *line) send(head []byte, data [][]byte) error {
	for _, b := range append([][]byte{head}, data...) {
		if _, err := l.out.Write(b); err != nil {
			return err
		}
	}
	return l.out.Flush()
}

// receive reads data, which were announced to have so many bytes.
func (l *line) receive(bytes int64, data [][]byte) error {
	if want := total(data); bytes != want {
		return fmt.Errorf("target: %d bytes come: the variables have %d", bytes, want)
	}
	for _, b := range data {
		if err := readAll(l.in, b); err != nil {
			return err
		}
	}
	return nil
}

// total is how many bytes data have.
func total(data [][]byte) (bytes int64) {
	for _, b := range data {
		bytes += int64(len(b))
	}
	return bytes
}
