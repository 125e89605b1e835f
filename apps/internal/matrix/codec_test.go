package matrix

import (
	"bufio"
	"fmt"
	"io"
)

// fromMTX reads a matrix in Matrix Market format up to the end of r. Errors name the package and
// the line.
func fromMTX(r io.Reader) (Dense, error) {
	m, err := decodeMTX(r, -1, MaxElements)
	return m, named(err)
}

// fromNPY reads a matrix in NumPy's format up to the end of r.
func fromNPY(r io.Reader) (Dense, error) {
	m, err := decodeNPY(r, -1, MaxElements)
	return m, named(err)
}

// sparseFromMTX reads a matrix in Matrix Market format up to the end of r. It accepts the files
// of fromMTX, but allocates only memory for stored elements. Errors name the line.
func sparseFromMTX(r io.Reader) (*Sparse, error) {
	s, err := decodeSparse(r, MaxRows)
	return s, named(err)
}

// toMTX writes m in Matrix Market format, real and general. It writes a coordinate
// file if less than a third of the elements differ from zero, and an array file otherwise.
func toMTX(w io.Writer, m Dense) error { return encodeChecked(w, m, encodeMTX) }

// toNPY writes m in NumPy's format: version 1, float64, C order.
func toNPY(w io.Writer, m Dense) error { return encodeChecked(w, m, encodeNPY) }

// encodeChecked checks m, which may be invalid, and encodes it. Errors name the package.
func encodeChecked(w io.Writer, m Dense, f func(*bufio.Writer, Dense) error) error {
	err := m.check()
	if err == nil {
		err = encode(w, m, f)
	}
	return named(err)
}

// named adds the name of the package to an error.
func named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("matrix: %w", err)
}
