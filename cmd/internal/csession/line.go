package csession

import (
	"bufio"
	"fmt"
	"io"
)

// line is one end of a connection. It copies data directly between the connection and the arrays.
type line struct {
	in  *bufio.Reader
	out *bufio.Writer
}

func newLine(conn io.ReadWriter) line { return line{bufio.NewReader(conn), bufio.NewWriter(conn)} }

func (l *line) send(head []byte, data [][]byte) error {
	for _, b := range append([][]byte{head}, data...) {
		if _, err := l.out.Write(b); err != nil {
			return err
		}
	}
	return l.out.Flush()
}

func (l *line) receive(bytes int64, data [][]byte) error {
	if want := total(data); bytes != want {
		return fmt.Errorf("csession: receiving the bytes of variables: %d bytes announced, want %d", bytes, want)
	}
	for _, b := range data {
		if err := readAll(l.in, b); err != nil {
			return err
		}
	}
	return nil
}

func total(data [][]byte) (bytes int64) {
	for _, b := range data {
		bytes += int64(len(b))
	}
	return bytes
}
