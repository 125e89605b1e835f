package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// random returns n bytes that depend only on n.
func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)}).Read(b)
	return b
}

// write writes an object in pieces of at most 1 MiB, and commits it.
func write(t *testing.T, s checkpoint.Store, name string, data []byte) error {
	t.Helper()
	w, err := s.Create(t.Context(), name)
	if err != nil {
		return err
	}
	for piece := range slices.Chunk(data, 1<<20-7) {
		if _, err := w.Write(piece); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Commit()
}

func mustWrite(t *testing.T, s checkpoint.Store, name string, data []byte) {
	t.Helper()
	if err := write(t, s, name, data); err != nil {
		t.Fatal(err)
	}
}

// mustRead checks an object, read as a whole.
func mustRead(t *testing.T, s checkpoint.Store, name string, want []byte) {
	t.Helper()
	r, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Size() != int64(len(want)) {
		t.Fatalf("%s has %d bytes: want %d", name, r.Size(), len(want))
	}
	got := make([]byte, len(want)+10)
	if n, err := r.ReadAt(got, 0); n != len(want) || err != io.EOF || !bytes.Equal(got[:n], want) {
		t.Fatalf("%s: %d bytes, error %v; the bytes are right: %v", name, n, err, bytes.Equal(got[:n], want))
	}
}

// mustHave checks an object, read as a whole and in ranges.
func mustHave(t *testing.T, s checkpoint.Store, name string, want []byte) {
	t.Helper()
	mustRead(t, s, name, want)
	r, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := make([]byte, 2*windowBytes)
	for _, at := range []int{0, 1, len(want)/2 - 1, len(want) - 40, len(want) - 1} {
		for _, n := range []int{1, 4096, windowBytes - 1, windowBytes + 1} {
			if at < 0 || at >= len(want) {
				continue
			}
			part := want[at:min(len(want), at+n)]
			n, err := r.ReadAt(got[:n], int64(at))
			if n != len(part) || !bytes.Equal(got[:n], part) || err != nil && err != io.EOF {
				t.Errorf("%s from %d on: %d bytes, error %v; want %d", name, at, n, err, len(part))
			}
		}
	}
}

// TestObjects: objects of sizes around the buffers come back, and are written only once.
func TestObjects(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket/a/b")
	const part = 5 << 20
	var names []string
	for _, n := range []int{0, 1, 70000, part - 1, part, part + 1, 2*part + 12345} {
		name := fmt.Sprintf("o%08d.part", n)
		names = append(names, "a/b/"+name)
		data := random(n)
		mustWrite(t, store, name, data)
		mustHave(t, store, name, data)
		if _, err := store.Create(t.Context(), name); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a second %s: error %v, want %v", name, err, fs.ErrExist)
		}
	}
	s.clean(t, names...)
	if err := store.Remove(t.Context(), "o00000001.part"); err != nil {
		t.Error(err)
	}
	if err := store.Remove(t.Context(), "o00000001.part"); err != nil {
		t.Error("what is gone cannot be removed: ", err)
	}
	if _, err := store.Open(t.Context(), "o00000001.part"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an object that is gone: error %v, want %v", err, fs.ErrNotExist)
	}
}

// TestExclusive: of two writers of an object, small or large, the first wins.
func TestExclusive(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket")
	for _, n := range []int{10, 6 << 20} {
		name := fmt.Sprint("object.", n)
		first, second := random(n), random(n+1)
		var writers []checkpoint.Writer
		for _, data := range [][]byte{first, second} {
			w, err := store.Create(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
			writers = append(writers, w)
		}
		if err := writers[0].Commit(); err != nil {
			t.Fatal(err)
		}
		if err := writers[1].Commit(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("the second: error %v, want %v", err, fs.ErrExist)
		}
		mustHave(t, store, name, first)
		// The server itself refuses it, not only the request before.
		w, err := store.Create(t.Context(), name+".late")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(second); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, store, name+".late", first)
		w.(*writer).wait()
		code, _ := answer(w.(*writer).complete(t.Context(), true))
		if w.Abort(); code != "PreconditionFailed" {
			t.Errorf("the server answers %q: want PreconditionFailed", code)
		}
	}
	s.clean(t, "object.10", "object.10.late", "object.6291456", "object.6291456.late")
}

// TestAbort: an aborted object leaves nothing, whatever was sent.
func TestAbort(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket")
	for _, n := range []int{0, 1000, 6 << 20, 12 << 20} {
		w, err := store.Create(t.Context(), "object")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(random(n)); err != nil {
			t.Fatal(err)
		}
		w.Abort()
		s.clean(t)
	}
}

// TestList: only objects of the prefix are listed, in several pages.
func TestList(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket/job")
	other := s.open(t, "s3://bucket/job7/")
	below := s.open(t, "s3://bucket/job/below")
	all := s.open(t, "s3://bucket")
	for i, o := range []*Store{other, below, all} {
		mustWrite(t, o, fmt.Sprint("other", i), random(i))
	}
	const objects = 2100
	want := map[string]int64{}
	for i := range objects {
		name := fmt.Sprintf("c%08d.part", i)
		want[name] = int64(i % 7)
		if err := os.WriteFile(filepath.Join(s.folder, "job", name), random(i%7), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s.inject(once("list", broken, 2))
	listed, err := store.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range listed {
		if bytes, ok := want[o.Name]; !ok || o.Bytes != bytes {
			t.Errorf("%s with %d bytes is listed", o.Name, o.Bytes)
		}
		delete(want, o.Name)
	}
	if len(want) > 0 || len(listed) != objects || s.count("list") > 6 {
		t.Errorf("%d objects are listed, %d are not, in %d requests", len(listed), len(want), s.count("list"))
	}
	if top, err := all.List(t.Context()); err != nil || len(top) != 1 || top[0].Name != "other2" {
		t.Errorf("the bucket has %v, error %v", top, err)
	}
}

// TestReads: reading piece by piece takes few requests.
func TestReads(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket")
	data := random(4 << 20)
	mustWrite(t, store, "object", data)
	r, err := store.Open(t.Context(), "object")
	if err != nil {
		t.Fatal(err)
	}
	s.inject(nil)
	piece := make([]byte, 5000)
	for at := 0; at < len(data); at += len(piece) {
		if n, err := r.ReadAt(piece, int64(at)); err != nil && err != io.EOF || !bytes.Equal(piece[:n], data[at:at+n]) {
			t.Fatalf("%d bytes at %d, error %v", n, at, err)
		}
	}
	if n := s.count("get"); n > 5 {
		t.Errorf("it took %d requests: want at most 5", n)
	}
	if _, err := r.ReadAt(piece, int64(len(data))); err != io.EOF {
		t.Errorf("reading at the end: error %v, want %v", err, io.EOF)
	}
	// Reading an object that was exchanged is an error, and never returns bytes of both.
	if err := store.Remove(t.Context(), "object"); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, store, "object", random(4<<20-1))
	if _, err := r.ReadAt(make([]byte, 2<<20), 0); err == nil || !strings.Contains(err.Error(), "PreconditionFailed") {
		t.Errorf("an exchanged object: error %v", err)
	}
}
