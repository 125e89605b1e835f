package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// small makes the record of a run of one rank, and returns its directory and the entries.
func small(t testing.TB, values bool) (dir string, want []Entry) {
	t.Helper()
	r := New(filepath.Join(t.TempDir(), "rec"))
	r.Values, r.Program, r.Net = values, "small", "inproc"
	w, err := r.Writer(About{Mode: "phase", Clock: dimmnet.Wall, Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	array := &Array{Name: "a", Kind: "1000 elements of type int64", Element: 8, Base: consistency.PageBytes, Bytes: 8000}
	binding := &Binding{ID: 0, Name: "a", Ranges: []consistency.Range{{Lo: 4096, Hi: 12096}}}
	w.JSON(array)
	w.JSON(binding)
	line := w.Line(7, func() string { return "a.go:1" })
	if again := w.Line(7, func() string { return "b.go:1" }); again != line || line != 1 {
		t.Fatalf("the first line is %d, and then %d", line, again)
	}
	tenure := &Tenure{From: 1, To: 5, Step: 3, Acquired: line, Moved: true, Shared: []Held{{3, 4}}, Exclusive: []Held{{0, 9}, {1, 1}}}
	w.Tenure(tenure)
	data := make([]byte, 5000)
	for i := range data {
		data[i] = byte(i)
	}
	w.Wrote(0, 9)
	w.Piece(0, 9, 4096+8, data[:16])
	w.Piece(0, 9, 8000, data)
	w.WroteAll()
	w.Wrote(1, 1)
	w.WroteAll() // nothing
	mark := &Mark{Kind: Saved, Number: 4}
	w.JSON(mark)
	end := &Meeting{Call: rollcall.End, From: 6, To: 7, Before: 3, Step: 4, Arrived: []Held{{1, 2}}}
	w.Meeting(end)
	w.Close()
	if notes := r.Notes(); len(notes) > 0 {
		t.Fatal(notes)
	}
	writes := &Writes{ID: 0, Version: 9}
	for _, p := range []struct{ lo, hi, from int }{{4104, 4120, 0}, {8000, 8192, 0}, {8192, 12288, 192}, {12288, 13000, 4288}} {
		b := data[p.from : p.from+p.hi-p.lo]
		piece := Piece{Range: consistency.Range{Lo: consistency.Addr(p.lo), Hi: consistency.Addr(p.hi)}, Hash: Hash(b)}
		if values {
			piece.Bytes = b
		}
		writes.Pieces = append(writes.Pieces, piece)
	}
	return r.Dir, []Entry{array, binding, &Line{"a.go:1"}, tenure, writes, mark, end}
}

// read returns copies of the entries of a file of rank 0, and why they end; ok is false if the file
// cannot be opened.
func read(t testing.TB, file []byte) (all []Entry, cut string, ok bool) {
	t.Helper()
	var in Reader
	if in.begin(bytes.NewReader(file), int64(len(file)), 0) != nil {
		return nil, "", false
	}
	for {
		e, err := in.Next()
		if err == io.EOF {
			return all, in.Cut(), true
		}
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := e.(*Writes); ok {
			one := &Writes{ID: w.ID, Version: w.Version}
			for _, p := range w.Pieces {
				p.Bytes = bytes.Clone(p.Bytes)
				one.Pieces = append(one.Pieces, p)
			}
			e = one
		}
		all = append(all, e)
	}
}

// content returns the file of rank 0.
func content(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(fileName(dir, 0))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRoundTrip: what a Writer writes, a Reader reads.
func TestRoundTrip(t *testing.T) {
	for _, values := range []bool{false, true} {
		dir, want := small(t, values)
		got, cut, _ := read(t, content(t, dir))
		if !reflect.DeepEqual(got, want) || cut != "" {
			t.Errorf("with values %v: %q\n%+v\nwant\n%+v", values, cut, got, want)
		}
	}
}

// TestCut: of a file that ends anywhere, every entry before is read, and no other.
func TestCut(t *testing.T) {
	dir, want := small(t, true)
	whole := content(t, dir)
	var ends []int // of entries
	for at := len(magic) + 4; at < len(whole); {
		at += frameBytes + int(binary.LittleEndian.Uint32(whole[at:]))
		ends = append(ends, at)
	}
	for length := range whole {
		got, cut, ok := read(t, whole[:length])
		if ok != (length >= ends[0]) {
			t.Fatalf("a file of %d bytes can be opened: %v", length, ok)
		}
		if !ok {
			continue
		}
		entries := -1
		for _, end := range ends {
			if end <= length {
				entries++
			}
		}
		if len(got) != entries || entries > 0 && !reflect.DeepEqual(got, want[:entries]) || cut != "it ends before the run did, or the run has failed" {
			t.Fatalf("of %d bytes %d entries are read, want %d; %q", length, len(got), entries, cut)
		}
	}
}

// TestDamage: a byte that is changed ends the record there, or is in the head of the file.
func TestDamage(t *testing.T) {
	dir, want := small(t, true)
	whole := content(t, dir)
	for at := range whole {
		b := bytes.Clone(whole)
		b[at] ^= 0x40
		if got, cut, ok := read(t, b); ok && (len(got) >= len(want) || cut == "") {
			t.Fatalf("with byte %d changed %d entries are read; %q", at, len(got), cut)
		}
	}
}

// TestOtherFiles: no record, a record of another version, and a mixture of two runs.
func TestOtherFiles(t *testing.T) {
	if _, err := Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "no record of rank 0") {
		t.Errorf("an empty directory: %v", err)
	}
	dir, _ := small(t, true)
	other, _ := small(t, false)
	whole := content(t, dir)
	if err := os.WriteFile(fileName(other, 0), append([]byte(magic+"\x03\x00\x00\x00"), whole[12:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other); err == nil || !strings.Contains(err.Error(), "version 3 of the format") {
		t.Errorf("version 3: %v", err)
	}
	run, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run.Nodes = 2
	if _, err := run.Rank(0); err == nil || !strings.Contains(err.Error(), "is the record of another run") {
		t.Errorf("a file of another run: %v", err)
	}
	in, err := run.Rank(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Next(); err != io.EOF || in.Cut() != "it is missing" {
		t.Errorf("a file that is missing: %v, %q", err, in.Cut())
	}
}

// TestFull: a file keeps its limit, and its last entry says so. Lines and entries of every size are
// written until then.
func TestFull(t *testing.T) {
	r := New(filepath.Join(t.TempDir(), "rec"))
	r.Limit, r.Values = 1<<15, true
	w, err := r.Writer(About{Mode: "phase", Clock: dimmnet.Virtual, Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		w.Tenure(&Tenure{})
		w.Wrote(0, 1)
		w.Piece(0, 1, 4096, make([]byte, 50*i))
		w.WroteAll()
		w.Line(uint64(i), func() string { return "line" })
	}
	w.Close()
	info, err := os.Stat(fileName(r.Dir, 0))
	if err != nil || info.Size() > r.Limit/2 || info.Size() < r.Limit/4 {
		t.Errorf("the file has %d bytes, error %v; the limit is %d", info.Size(), err, r.Limit/2)
	}
	all, cut, _ := read(t, content(t, r.Dir))
	if last, ok := all[len(all)-1].(*Mark); !ok || last.Kind != Full || cut != "it has reached its limit" || len(r.Notes()) != 1 {
		t.Errorf("the last entry is %+v, %q, notes %q", all[len(all)-1], cut, r.Notes())
	}
}

// FuzzRead: whatever a file contains, reading it ends, without a panic and without more memory than
// a few times its size.
func FuzzRead(f *testing.F) {
	for _, values := range []bool{false, true} {
		dir, _ := small(f, values)
		f.Add(content(f, dir))
	}
	f.Fuzz(func(t *testing.T, whole []byte) {
		mend(whole)
		var in Reader
		if in.begin(bytes.NewReader(whole), int64(len(whole)), 0) != nil {
			return
		}
		for {
			e, err := in.Next()
			if err != nil {
				return
			}
			switch e := e.(type) {
			case *Tenure:
				_ = in.Line(e.Acquired) + in.Line(e.Released)
			case *Meeting:
				_ = in.Line(e.Line)
			case *Writes:
				for _, p := range e.Pieces {
					if p.Range.Len() < 1 || p.Range.Hi > consistency.MaxAddr || p.Bytes != nil && len(p.Bytes) != p.Range.Len() {
						t.Fatalf("a piece %v of %d bytes", p.Range, len(p.Bytes))
					}
				}
			}
		}
	})
}

// mend makes the checksums right, so that what is behind them is tested.
func mend(b []byte) {
	for at := len(magic) + 4; at+frameBytes < len(b); {
		length := int(binary.LittleEndian.Uint32(b[at:]))
		if length < 0 || length > len(b)-at-frameBytes {
			return
		}
		payload := b[at+frameBytes:][:length]
		binary.LittleEndian.PutUint32(b[at+4:], crc32.Checksum(payload, castagnoli()))
		at += frameBytes + length
	}
}
