package region

import (
	"bytes"
	"testing"
)

// FuzzReadNPY: no file makes readNPY panic, or return a length that does not fit a slice.
func FuzzReadNPY(f *testing.F) {
	f.Add([]byte("\x93NUMPY\x01\x00\x40\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }      \n"))
	f.Add([]byte("\x93NUMPY\x02\x00\x04\x00\x00\x00'sh("))
	f.Fuzz(func(t *testing.T, data []byte) {
		at, length, err := readNPY(bytes.NewReader(data), "<f8")
		if err == nil && (length < 1 || at > int64(len(data))) {
			t.Errorf("%d elements from %d", length, at)
		}
	})
}
