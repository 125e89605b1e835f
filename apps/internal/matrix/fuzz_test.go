package matrix

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// fuzzElements limits the number of elements in fuzz targets, because the decoder of coordinate
// files allocates as many elements as the header announces.
const fuzzElements = 1 << 12

// roundTrip writes a matrix in both formats and reads it again.
func roundTrip(t *testing.T, m Dense) {
	for name, f := range map[string]struct {
		encode func(io.Writer, Dense) error
		decode func(io.Reader) (Dense, error)
	}{
		"Matrix Market": {toMTX, fromMTX},
		"NPY":           {toNPY, fromNPY},
	} {
		var file bytes.Buffer
		if err := f.encode(&file, m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := file.String()
		if again, err := f.decode(&file); err != nil || !sameBits(m, again) {
			t.Fatalf("%s: error %v, or other bits than %v in\n%q", name, err, m, text)
		}
	}
}

func FuzzMatrixMarket(f *testing.F) {
	west, err := os.ReadFile("testdata/west0479.mtx")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(west[:2000])
	for _, s := range []string{
		array + "2 2\n1\n-2.5e-3\nNaN\n+inf\n",
		coordinate + "% c\n\n3 4 2\n1 1 1\n3 4 -0\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
		"%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n2 1 7\n",
		"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n",
		array + "16384 16384\n1\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := decodeMTX(bytes.NewReader(file), -1, fuzzElements)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("%v: want an error that names the line", err)
			}
			return
		}
		if len(m.Data) != m.Rows*m.Cols || len(m.Data) > fuzzElements {
			t.Fatalf("%d x %d with %d elements", m.Rows, m.Cols, len(m.Data))
		}
		roundTrip(t, m)
	})
}

func FuzzNPY(f *testing.F) {
	le := binary.LittleEndian
	f.Add(npyFile(dict("<f8", "False", "(2, 3)"), le, make([]float64, 6)))
	f.Add(npyFile(dict(">i4", "True", "(2, 3)"), binary.BigEndian, []int32{1, 2, 3, 4, 5, 6}))
	f.Add(npyFile(dict("|u1", "False", "(0, 3)"), le, []uint8{}))
	f.Add(npyFile(dict("<f8", "False", "(16384, 16384)"), le, make([]float64, 6)))
	f.Add(npyFile("'shape': }'fortran_order': 'descr': ", le, []uint8{}))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := fromNPY(bytes.NewReader(file))
		if err != nil {
			return
		}
		if len(m.Data) != m.Rows*m.Cols || len(m.Data) > len(file) {
			t.Fatalf("%d x %d with %d elements out of %d bytes", m.Rows, m.Cols, len(m.Data), len(file))
		}
		roundTrip(t, m)
	})
}

// TestAllocation passes headers that announce 2 GiB to the decoders.
func TestAllocation(t *testing.T) {
	const allowed = 2 << 20
	for name, decode := range map[string]func() error{
		"Matrix Market array": func() error {
			_, err := fromMTX(strings.NewReader(array + "16384 16384\n1\n"))
			return err
		},
		"Matrix Market symmetric array": func() error {
			_, err := fromMTX(strings.NewReader("%%MatrixMarket matrix array real symmetric\n16384 16384\n1\n"))
			return err
		},
		"NPY": func() error {
			_, err := fromNPY(bytes.NewReader(npyFile(dict("<f8", "True", "(16384, 16384)"), binary.LittleEndian, []float64{1})))
			return err
		},
		"NPY header": func() error {
			_, err := fromNPY(strings.NewReader("\x93NUMPY\x02\x00\xff\xff\xff\x7f{}"))
			return err
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := decode()
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > allowed {
			t.Errorf("%s: %d bytes allocated, error %v", name, n, err)
		}
	}
}
