package region

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// npyMagic begins a file of NumPy; the version of the format and the length of the header follow
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
const npyMagic = "\x93NUMPY"

// Load makes a resident array with the contents of a file in the format of NumPy (.npy). Every rank
// reads its block, so all ranks must reach the file under this path. An array of several dimensions
// must be in the order of C; its elements are those of the slice, row by row. Load is collective.
// It returns an error if the file has elements of another type than T, a number or boolean.
func Load[T any](n *fagus.Node, name, path string) (*Resident[T], error) {
	f, at, length, err := openNPY[T](path)
	if err := together(n, err); err != nil {
		return nil, fmt.Errorf("region: load %q from %s: %w", name, path, err)
	}
	defer f.Close()
	r, err := reserve[T](n, name, length)
	if err != nil {
		return nil, err
	}
	return r, r.Fill(func(first int, part []T) error {
		if _, err := f.ReadAt(bytesOf(part), at+int64(first)*int64(unsafe.Sizeof(part[0]))); err != nil {
			return fmt.Errorf("region: load %q from %s: elements from %d: %w", name, path, first, err)
		}
		return nil
	})
}

// Save writes the array to a file in the format of NumPy, as an array of one dimension. Every rank
// writes its block, so all ranks must reach the file under this path. Save is collective. It
// replaces a file that exists, and returns an error if T is no number or boolean.
func (r *Resident[T]) Save(path string) error {
	var at int64
	kind, err := npyType[T]()
	if r.node.Rank() == 0 && err == nil {
		at, err = createNPY(path, kind, len(r.own))
	}
	if err := together(r.node, err); err != nil {
		return fmt.Errorf("region: save %q to %s: %w", r.name, path, err)
	}
	if at, err = fagus.Reduce(r.node, at, func(a, b int64) int64 { return a + b }); err != nil {
		return err
	}
	return r.Drain(func(first int, part []T) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt(bytesOf(part), at+int64(first)*int64(unsafe.Sizeof(part[0])))
			if closed := f.Close(); err == nil {
				err = closed
			}
		}
		if err != nil {
			return fmt.Errorf("region: save %q to %s: elements from %d: %w", r.name, path, first, err)
		}
		return nil
	})
}

// together returns an error on all ranks if one has an error.
func together(n *fagus.Node, err error) error {
	failed := 0
	if err != nil {
		failed = n.Rank() + 1
	}
	first, met := fagus.Reduce(n, failed, func(a, b int) int {
		if a > 0 {
			return a
		}
		return b
	})
	switch {
	case err != nil:
		return err
	case met != nil:
		return met
	case first > 0:
		return fmt.Errorf("rank %d has failed", first-1)
	}
	return nil
}

// npyType returns what NumPy calls the elements.
func npyType[T any]() (string, error) {
	t := reflect.TypeFor[T]()
	letter := ""
	switch k := t.Kind(); {
	case k == reflect.Bool:
		return "|b1", nil
	case k >= reflect.Int && k <= reflect.Int64:
		letter = "i"
	case k >= reflect.Uint && k <= reflect.Uint64:
		letter = "u"
	case k == reflect.Float32 || k == reflect.Float64:
		letter = "f"
	case k == reflect.Complex64 || k == reflect.Complex128:
		letter = "c"
	default:
		return "", fmt.Errorf("elements of type %v: want numbers or booleans", t)
	}
	order := "<"
	switch {
	case t.Size() == 1:
		order = "|"
	case binary.NativeEndian.Uint16([]byte{1, 0}) != 1:
		order = ">"
	}
	return fmt.Sprintf("%s%s%d", order, letter, t.Size()), nil
}

// createNPY makes a file with a header, and returns the offset of the first element.
func createNPY(path, kind string, length int) (int64, error) {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", kind, length)
	const align = 64
	before := len(npyMagic) + 4
	header += strings.Repeat(" ", align-1-(before+len(header))%align) + "\n"
	b := append([]byte(npyMagic), 1, 0)
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(header))), header...)
	return int64(len(b)), os.WriteFile(path, b, 0o666)
}

// openNPY opens a file, and returns the offset of the first element and the number of elements.
func openNPY[T any](path string) (f *os.File, at int64, length int, err error) {
	want, err := npyType[T]()
	if err != nil {
		return nil, 0, 0, err
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, 0, err
	}
	at, length, err = readNPY(f, want)
	if err != nil {
		f.Close()
		return nil, 0, 0, err
	}
	return f, at, length, nil
}

func readNPY(f io.Reader, want string) (at int64, length int, err error) {
	const most = 1 << 16
	b := make([]byte, len(npyMagic)+6)
	if _, err := io.ReadFull(f, b[:len(npyMagic)+4]); err != nil || !strings.HasPrefix(string(b), npyMagic) {
		return 0, 0, fmt.Errorf("no file of NumPy: want %q and a header at the begin", npyMagic)
	}
	at = int64(len(npyMagic)) + 4
	size := int(binary.LittleEndian.Uint16(b[at-2:]))
	if b[len(npyMagic)] > 1 { // from version 2 on, the length has 4 bytes
		if _, err := io.ReadFull(f, b[at:]); err != nil {
			return 0, 0, fmt.Errorf("the header: %w", err)
		}
		size, at = int(binary.LittleEndian.Uint32(b[at-2:])), at+2
	}
	if size < 0 || size > most {
		return 0, 0, fmt.Errorf("a header of %d bytes: want at most %d", size, most)
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(f, header); err != nil {
		return 0, 0, fmt.Errorf("the header: %w", err)
	}
	length, err = parseNPY(string(header), want)
	return at + int64(size), length, err
}

// parseNPY returns the number of elements according to a header.
func parseNPY(header, want string) (length int, err error) {
	value := func(key, end string) string {
		_, rest, _ := strings.Cut(header, "'"+key+"':")
		text, _, _ := strings.Cut(rest, end)
		return strings.Trim(text, " '(")
	}
	if kind := value("descr", ","); kind != want {
		return 0, fmt.Errorf("elements of type %q: want %q", kind, want)
	}
	if value("fortran_order", ",") != "False" {
		return 0, fmt.Errorf("the order of elements is that of Fortran: want that of C (numpy.ascontiguousarray)")
	}
	length = 1
	for text := range strings.SplitSeq(value("shape", ")"), ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || length > 1<<48/n {
			return 0, fmt.Errorf("a shape of %q: want dimensions from 1 on", value("shape", ")"))
		}
		length *= n
	}
	return length, nil
}

// bytesOf returns the memory of elements.
func bytesOf[T any](part []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))), len(part)*int(unsafe.Sizeof(part[0])))
}
