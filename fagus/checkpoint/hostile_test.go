package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// objects is a store in memory that can only be read.
type objects map[string][]byte

func (s objects) Open(_ context.Context, name string) (Reader, error) {
	b, ok := s[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return memoryReader{bytes.NewReader(b)}, nil
}

func (s objects) List(context.Context) (all []Object, err error) {
	for name, b := range s {
		all = append(all, Object{name, int64(len(b))})
	}
	return all, nil
}

var errReadOnly = errors.New("this store can only be read")

func (objects) Create(context.Context, string) (Writer, error)        { return nil, errReadOnly }
func (objects) Remove(context.Context, string) error                  { return errReadOnly }
func (objects) Lock(context.Context) (unlock func() error, err error) { return nil, errReadOnly }
func (objects) String() string                                        { return "a test" }

type memoryReader struct{ *bytes.Reader }

func (memoryReader) Close() error { return nil }

// part returns a part with correct checksums, whatever its entries are.
func part(data []byte, entries []entry, list string) []byte {
	var b bytes.Buffer
	b.WriteString(partMagic)
	b.Write(data)
	t := tail{Index: uint64(b.Len()), Entries: uint32(len(entries)), List: uint32(len(list)), Magic: [8]byte([]byte(indexMagic))}
	var index bytes.Buffer
	_ = binary.Write(&index, binary.LittleEndian, entries) // a Buffer takes everything
	index.WriteString(list)
	t.Sum = t.after(0, index.Bytes())
	b.Write(index.Bytes())
	_ = binary.Write(&b, binary.LittleEndian, t)
	return b.Bytes()
}

// stored returns a store with a checkpoint of one rank, whose part is given.
func stored(t testing.TB, part []byte, arrays ...fagus.SavedArray) objects {
	t.Helper()
	m := Manifest{Format: Format, Number: 7, Made: time.Unix(0, 0), Nodes: 1, State: []byte("1"), Arrays: arrays}
	m.Parts = []Part{{Name: partName(7, 0), Bytes: int64(len(part))}}
	if len(part) >= tailBytes {
		m.Parts[0].Index = binary.LittleEndian.Uint32(part[len(part)-16:])
	}
	text, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	return objects{manifestName(7): text, partName(7, 0): part}
}

func sevenBytes(bytes int) fagus.SavedArray {
	return fagus.SavedArray{Name: "a", Kind: "elements of type uint8", Element: 1, Bytes: bytes}
}

// TestHostile: a checkpoint with correct checksums and wild numbers gives an error.
func TestHostile(t *testing.T) {
	data := []byte("seven b")
	right := entry{At: 8, Bytes: 7, Sum: checksum(data)}
	with := func(change func(*entry)) []entry {
		e := right
		change(&e)
		return []entry{e}
	}
	for name, c := range map[string]struct {
		entries []entry
		list    string
		array   fagus.SavedArray
		want    string // of Open, or of reading everything; "": no error
	}{
		"right":               {entries: []entry{right}, array: sevenBytes(7)},
		"offset wraps":        {entries: with(func(e *entry) { e.Offset = math.MaxUint64 - 3 }), array: sevenBytes(7), want: "overlaps another, or exceeds"},
		"twice":               {entries: []entry{right, right}, array: sevenBytes(7), want: "overlaps another"},
		"too long":            {entries: with(func(e *entry) { e.Bytes = pieceBytes + 1 }), array: sevenBytes(1 << 30), want: "want 1 to 1048576"},
		"nothing":             {entries: with(func(e *entry) { e.Bytes = 0 }), array: sevenBytes(7), want: "has 0 bytes"},
		"beyond the array":    {entries: []entry{right}, array: sevenBytes(6), want: "exceeds the 6 bytes"},
		"no array":            {entries: with(func(e *entry) { e.Array = math.MaxUint32 }), array: sevenBytes(7), want: "array 4294967295 of 1"},
		"one array too few":   {entries: with(func(e *entry) { e.Array = 1 }), array: sevenBytes(7), want: "array 1 of 1"},
		"one object too few":  {entries: with(func(e *entry) { e.Object = 2 }), list: `["c00000006-00000.part"]`, array: sevenBytes(7), want: "object 2 of 1"},
		"an empty array":      {array: sevenBytes(0)},
		"half an element":     {array: fagus.SavedArray{Name: "a", Element: 2, Bytes: 7}, want: "has 7 bytes, in elements of 2"},
		"no object":           {entries: with(func(e *entry) { e.Object = math.MaxUint32 }), array: sevenBytes(7), want: "object 4294967295 of 0"},
		"beyond the part":     {entries: with(func(e *entry) { e.At = math.MaxUint64 - 1 }), array: sevenBytes(7), want: "reading 7 bytes"},
		"another file":        {entries: with(func(e *entry) { e.Object = 1 }), list: `["../../etc/passwd"]`, array: sevenBytes(7), want: "want a part of this"},
		"a later part":        {entries: with(func(e *entry) { e.Object = 1 }), list: `["c00000008-00000.part"]`, array: sevenBytes(7), want: "want a part of this"},
		"a part that is gone": {entries: with(func(e *entry) { e.Object = 1 }), list: `["c00000006-00000.part"]`, array: sevenBytes(7), want: "not exist"},
		"no list":             {entries: []entry{right}, list: "{", array: sevenBytes(7), want: "list of objects"},
		"negative array":      {entries: []entry{right}, array: sevenBytes(-1), want: "has -1 bytes"},
		"no elements":         {array: fagus.SavedArray{Name: "a", Bytes: 8}, want: "elements of 0"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.list == "" {
				c.list = "null"
			}
			o, err := Open(t.Context(), stored(t, part(data, c.entries, c.list), c.array), 7)
			if err == nil {
				defer o.Close()
				err = o.Verify()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestReadOutside: Read gives an error outside an array, and Pieces returns what was saved.
func TestReadOutside(t *testing.T) {
	data := []byte("seven b")
	o, err := Open(t.Context(), stored(t, part(data, []entry{{Offset: 2, At: 8, Bytes: 7, Sum: checksum(data)}}, "null"), sevenBytes(10)), 7)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for _, at := range [][3]int{{-1, 0, 1}, {1, 0, 1}, {0, -1, 2}, {0, math.MinInt, 1}, {0, 11, 0}, {0, 10, 1}, {0, math.MaxInt, 3}, {0, 0, 11}} {
		if err := o.Read(at[0], at[1], make([]byte, at[2])); err == nil {
			t.Errorf("array %d, %d bytes at %d: no error", at[0], at[2], at[1])
		}
	}
	for _, at := range [][2]int{{0, 0}, {10, 0}, {9, 1}, {0, 10}} {
		if err := o.Read(0, at[0], make([]byte, at[1])); err != nil {
			t.Errorf("%d bytes at %d of 10: %v", at[1], at[0], err)
		}
	}
	whole := []byte("xxxxxxxxxx")
	if err := o.Read(0, 0, whole); err != nil || string(whole) != "\x00\x00seven b\x00" {
		t.Errorf("%q, error %v", whole, err)
	}
	for p := range o.Pieces(0) {
		if p != (Piece{2, 7, "c00000007-00000.part"}) || !o.Own(p.Part) {
			t.Errorf("piece %+v, own %v", p, o.Own(p.Part))
		}
	}
	if o.Own("c00000006-00000.part") || o.Own("passwd") {
		t.Error("parts of others count as this checkpoint's")
	}
}

// TestSparse: a file with a hole of 64 GiB where its index should be takes no memory.
func TestSparse(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, partName(7, 0)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const entries = math.MaxUint32 / 2
	end := tail{Index: 8, Entries: entries, Magic: [8]byte([]byte(indexMagic))}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, end) // a Buffer takes everything
	if _, err := f.WriteAt(b.Bytes(), 8+entries*entryBytes); err != nil {
		t.Skip("the file system has no sparse files: ", err)
	}
	r, err := hostDisk{path: dir}.Open(partName(7, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err = readIndex(r); err == nil || !strings.Contains(err.Error(), "entry 0 of its index has 0 bytes") {
		t.Errorf("error %v", err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

// TestOpenExisting makes no directory, and opens only regular files in one.
func TestOpenExisting(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenExisting(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory was made: error %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenExisting(filepath.Join(dir, "file")); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file: error %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, manifestName(3)), 0o777); err != nil {
		t.Fatal(err)
	}
	s, err := OpenExisting(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadManifest(t.Context(), s, 3); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder in the place of a manifest: error %v", err)
	}
	if numbers, err := Numbers(t.Context(), s); err != nil || len(numbers) != 0 {
		t.Errorf("numbers %v, error %v", numbers, err)
	}
}

// FuzzManifest: no manifest makes the reader panic. One that is accepted encodes to itself.
func FuzzManifest(f *testing.F) {
	whole := stored(f, part(nil, nil, "null"), sevenBytes(7))[manifestName(7)]
	f.Add(whole, false)
	text, _, _ := bytes.Cut(whole, []byte("\n"))
	f.Add(text, true)
	f.Add(bytes.Replace(text, []byte(`"nodes":1`), []byte(`"nodes":-1`), 1), true)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal {
			b = sealed(b)
		}
		m, err := decodeManifest(b, 7)
		if err != nil {
			return
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeManifest(again, 7); err != nil {
			t.Errorf("%q encodes to %q, which is refused: %v", b, again, err)
		}
	})
}

// FuzzIndex: no part makes a reader panic, whether its checksums are correct or not.
func FuzzIndex(f *testing.F) {
	data := []byte("seven b")
	e := entry{At: 8, Bytes: 7, Sum: checksum(data)}
	f.Add(part(data, []entry{e}, "null"), false, 7, 0)
	f.Add(part(data, []entry{e, {Object: 1, Offset: 7, At: 9, Bytes: 5}}, `["c00000006-00000.part"]`), true, 12, 3)
	f.Add(part(data, []entry{{Offset: math.MaxUint64 - 2, At: math.MaxUint64, Bytes: 7}}, "[]"), true, math.MaxInt, -3)
	f.Fuzz(func(t *testing.T, b []byte, seal bool, bytes, offset int) {
		if seal {
			resum(b)
		}
		s := stored(t, b, sevenBytes(bytes))
		s[partName(6, 0)] = b
		o, err := Open(t.Context(), s, 7)
		if err != nil {
			return
		}
		defer o.Close()
		_ = o.Verify() // right or wrong, it returns
		p := make([]byte, 100)
		_ = o.Read(0, offset, p)
		end := 0
		for piece := range o.Pieces(0) {
			if piece.Offset < end || piece.Bytes > bytes-piece.Offset {
				t.Fatalf("piece %+v of %d bytes, after %d", piece, bytes, end)
			}
			end = piece.Offset + piece.Bytes
		}
	})
}

// sealed returns a manifest with a correct checksum.
func sealed(text []byte) []byte {
	return fmt.Appendf(bytes.Clone(text), "\n%x\n", sha256.Sum256(text))
}

// resum corrects the checksum of an index, if there is one.
func resum(b []byte) {
	var t tail
	if len(b) < tailBytes {
		return
	}
	if _, err := binary.Decode(b[len(b)-tailBytes:], binary.LittleEndian, &t); err != nil || t.Index > uint64(len(b)-tailBytes) {
		return
	}
	sum := t.after(0, bytes.Clone(b[t.Index:len(b)-tailBytes]))
	binary.LittleEndian.PutUint32(b[len(b)-16:], sum)
}
