package region_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// TestFiles: what Save writes Load reads, on other numbers of ranks, too. NumPy writes the same.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npy")
	for _, nodes := range []int{1, 3, 4} {
		want := make([]int32, 10*nodes)
		for i := range want {
			want[i] = int32(i * i * nodes)
		}
		if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes}, func(n *fagus.Node) error {
			r, err := region.Place(n, "a", want)
			if err != nil {
				return err
			}
			return r.Save(path)
		}); err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }", len(want))
		if b, err := os.ReadFile(path); err != nil || len(b) != 128+4*len(want) || !strings.HasPrefix(string(b), head) {
			t.Errorf("%d nodes: %d bytes in the file, %q, error %v; want a header of 128 bytes, %q", nodes, len(b), b[:min(len(b), 80)], err, head)
		}
		if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
			r, err := region.Load[int32](n, "a", path)
			if err != nil {
				return err
			}
			got := make([]int32, len(r.Slice()))
			if err := r.Fetch(got, 0, 1); err != nil {
				return err
			}
			if !slices.Equal(got, want) {
				return fmt.Errorf("loaded %v, want %v", got, want)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

// TestOtherWriters: Load reads the files of other writers than NumPy: big-endian, keys in another
// order, and one column in the order of Fortran.
func TestOtherWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.npy")
	dict := `{"shape": (3L, 1), "fortran_order": True, "descr": ">i2"}`
	if err := os.WriteFile(path, []byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(dict)), 0})+dict+"\x00\x01\x00\x02\x01\x00"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		r, err := region.Load[int16](n, "a", path)
		if err != nil {
			return err
		}
		got := make([]int16, 3)
		if err := r.Fetch(got, 0, 1); err != nil || !slices.Equal(got, []int16{1, 2, 256}) {
			return fmt.Errorf("loaded %v, %v", got, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestBadFiles: Load fails on all ranks, and says what is wrong with a file.
func TestBadFiles(t *testing.T) {
	header := func(text string) string {
		return "\x93NUMPY\x02\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8), 0, 0}) + text
	}
	for _, c := range []struct{ contents, want string }{
		{"", "header ends after 0 bytes"},
		{"\x93NUMPX\x01\x00\x10\x00", "not a NumPy file"},
		{header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"), `"<f4": want "<f8"`},
		{header("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }"), "ascontiguousarray"},
		{header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 0), }"), "dimensions from 1 on"},
		{header("{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000000, 4000000000000), }"), "more than 281474976710656 elements"},
		{header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"), "0 bytes of elements: want 48"},
		{header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }") + "123456789", "9 bytes of elements: want 8"},
	} {
		path := filepath.Join(t.TempDir(), "bad.npy")
		if err := os.WriteFile(path, []byte(c.contents), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
			_, err := region.Load[float64](n, "a", path)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.contents, err, c.want)
		}
	}
}
