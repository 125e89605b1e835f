package matrix

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
)

// encodeMTX writes a coordinate file if less than a third of the elements differ from zero, and
// an array file otherwise. It ignores write errors: the caller's Flush returns them.
func encodeMTX(w *bufio.Writer, m Dense) error {
	entries := 0
	for _, v := range m.Data {
		if stored(v) {
			entries++
		}
	}
	if 3*entries >= len(m.Data) {
		writeArray(w, m)
	} else {
		writeCoordinate(w, m, entries)
	}
	return nil
}

// stored reports whether a coordinate file must contain v: every value except +0.
func stored(v float64) bool { return math.Float64bits(v) != 0 }

func writeArray(w *bufio.Writer, m Dense) {
	fmt.Fprintf(w, "%%%%MatrixMarket matrix array real general\n%d %d\n", m.Rows, m.Cols)
	for j := range m.Cols {
		for i := range m.Rows {
			w.Write(append(appendValue(w.AvailableBuffer(), m.Data[i*m.Cols+j]), '\n'))
		}
	}
}

func writeCoordinate(w *bufio.Writer, m Dense, entries int) {
	fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", m.Rows, m.Cols, entries)
	for i := range m.Rows {
		for j, v := range m.Data[i*m.Cols : (i+1)*m.Cols] {
			if !stored(v) {
				continue
			}
			b := strconv.AppendInt(w.AvailableBuffer(), int64(i+1), 10)
			b = strconv.AppendInt(append(b, ' '), int64(j+1), 10)
			w.Write(append(appendValue(append(b, ' '), v), '\n'))
		}
	}
}

// appendValue appends v with the fewest digits that read back as v.
func appendValue(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }
