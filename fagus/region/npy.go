package region

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/npy"
)

// Load makes a resident array with the contents of a file in the format of NumPy (.npy). Every rank
// reads its block, so all ranks must reach the file under this path. An array of several dimensions
// must be in the order of C; the slice has its elements row by row. Load is collective.
// It returns an error if the file has elements of another type than T, a number or boolean.
func Load[T any](n *fagus.Node, name, path string) (*Resident[T], error) {
	f, at, kind, length, err := openNPY[T](path)
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
		kind.ToNative(bytesOf(part))
		return nil
	})
}

// Save writes the array to a file in the format of NumPy, as an array of one dimension. Every rank
// writes its block, so all ranks must reach the file under this path. Save is collective. It
// replaces a file that exists, and returns an error if T is no number or boolean.
func (r *Resident[T]) Save(path string) error {
	var at int64
	kind, err := npy.TypeOf(reflect.TypeFor[T]())
	if r.node.Rank() == 0 && err == nil {
		header := npy.Header{Type: kind, Shape: []int{len(r.own)}}.Append(nil)
		at, err = int64(len(header)), os.WriteFile(path, header, 0o666)
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

// openNPY opens a file, and returns the offset of the first element, and the type and the number of
// the elements.
func openNPY[T any](path string) (f *os.File, at int64, kind npy.Type, length int, err error) {
	if f, err = os.Open(path); err != nil {
		return nil, 0, kind, 0, err
	}
	h, err := npy.Read(f)
	if err == nil {
		length, err = checkNPY[T](h)
	}
	if err == nil {
		at, err = f.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		var end int64
		end, err = f.Seek(0, io.SeekEnd)
		if want := int64(length) * int64(h.Type.Bytes); err == nil && end-at != want {
			err = fmt.Errorf("%d bytes of elements: want %d", end-at, want)
		}
	}
	if err != nil {
		f.Close()
		return nil, 0, kind, 0, err
	}
	return f, at, h.Type, length, nil
}

// checkNPY returns the number of elements of a file. It returns an error if they are not of type T,
// or not in the order of C.
func checkNPY[T any](h npy.Header) (length int, err error) {
	want, err := npy.TypeOf(reflect.TypeFor[T]())
	if err != nil {
		return 0, err
	}
	if want.Big = h.Type.Big; h.Type != want {
		return 0, fmt.Errorf("elements of type %q: want %q", h.Type, want)
	}
	wide := slices.DeleteFunc(slices.Clone(h.Shape), func(n int) bool { return n == 1 })
	if h.Fortran && len(wide) > 1 {
		return 0, fmt.Errorf("the order of elements is that of Fortran: want that of C (numpy.ascontiguousarray)")
	}
	if length, err = h.Count(1 << 48); err == nil && length == 0 {
		err = fmt.Errorf("a shape of %v: want dimensions from 1 on", h.Shape)
	}
	return length, err
}

// bytesOf returns the memory of elements.
func bytesOf[T any](part []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))), len(part)*int(unsafe.Sizeof(part[0])))
}
