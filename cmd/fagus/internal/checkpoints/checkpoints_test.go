package checkpoints

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// saving is an array of a checkpoint, of which the pieces are saved.
type saving struct {
	kind    string
	element int
	bytes   int
	pieces  map[int][]byte // by offset
	version uint64
}

// whole returns an array all of which is saved.
func whole(kind string, element int, data []byte) saving {
	return saving{fmt.Sprintf("%d elements of type %s", len(data)/element, kind), element, len(data), map[int][]byte{0: data}, 1}
}

// job makes checkpoints, as a job of one rank does.
type job struct {
	*checkpoint.Keeper
	dir string
}

func newJob(t testing.TB) job {
	t.Helper()
	dir := t.TempDir()
	store, err := checkpoint.OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	j := job{checkpoint.New(checkpoint.Config{Store: store, Keep: 100}), dir}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// save makes a checkpoint of arrays that are called a0, a1 and so on, and opens it.
func (j job) save(t testing.TB, state string, arrays ...saving) *checkpoint.Snapshot {
	t.Helper()
	number, _, err := j.Due(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	cut := fagus.Cut{Number: number, Nodes: 1, State: []byte(state)}
	for i, a := range arrays {
		cut.Arrays = append(cut.Arrays, fagus.SavedArray{Name: fmt.Sprint("a", i), Kind: a.kind, Element: a.element, Bytes: a.bytes})
		for _, offset := range slices.Sorted(maps.Keys(a.pieces)) {
			cut.Pieces = append(cut.Pieces, fagus.SavedPiece{Array: i, Offset: offset, Version: a.version, Data: a.pieces[offset]})
		}
	}
	err = j.Save(t.Context(), cut)
	if err == nil {
		err = j.Commit(t.Context(), number)
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := checkpoint.Open(t.Context(), j.store(t), number)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() }) // it was only read
	return o
}

func (j job) store(t testing.TB) checkpoint.Store {
	t.Helper()
	store, err := checkpoint.OpenExisting(j.dir)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// damage changes a byte of a file.
func damage(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestSummary: what is stored anew and earlier, and what is damaged.
func TestSummary(t *testing.T) {
	j := newJob(t)
	a, b := whole("uint8", 1, bytes.Repeat([]byte{1}, 100)), whole("uint8", 1, bytes.Repeat([]byte{2}, 50))
	j.save(t, "1", a, b)
	b.version = 2
	j.save(t, "2", a, b)
	s, err := summarize(t.Context(), j.store(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	if s.Data != 150 || s.Earlier != 100 || s.Stored < 50 || s.Stored > 250 || s.Damaged != "" || s.Ranks != 1 || string(s.State) != "2" {
		t.Errorf("%+v", s)
	}
	if s, err := summarize(t.Context(), j.store(t), 9); err != nil || s != nil {
		t.Errorf("a checkpoint that is gone: %+v, error %v", s, err)
	}

	// Data of the first: what refers to them is wrong, too.
	damage(t, filepath.Join(j.dir, "c00000001-00000.part"), 20)
	for number, pieces := range map[uint64]int{1: 1, 2: 1} {
		v, err := examine(t.Context(), j.store(t), number, new(bytes.Buffer))
		if err != nil || v.Whole || v.WrongPieces != pieces || v.Bytes != 150 || !strings.Contains(v.Wrong[0], `array "a0", bytes 0 to 100: c00000001-00000.part: the checksum`) {
			t.Errorf("%d: %+v, error %v", number, v, err)
		}
	}
	// The manifest of the second.
	damage(t, filepath.Join(j.dir, "c00000002.manifest"), 20)
	s, err = summarize(t.Context(), j.store(t), 2)
	if err != nil || s.Damaged == "" || s.Made != nil {
		t.Errorf("%+v, error %v", s, err)
	}
	l := listing{Checkpoints: []summary{*s}}
	if text := l.text(); !strings.Contains(text, "2 is damaged: c00000002.manifest in ") {
		t.Error(text)
	}
}

// TestConclude: the error says from which checkpoint a run resumes.
func TestConclude(t *testing.T) {
	bad, good := verdict{Number: 1, Wrong: []string{"torn"}}, verdict{Number: 2, Whole: true}
	for _, c := range []struct {
		all  []verdict
		one  bool
		want string
	}{
		{all: []verdict{good}},
		{all: []verdict{bad}, one: true, want: "the checkpoint is damaged"},
		{all: []verdict{bad, bad}, want: "all 2 checkpoints are damaged"},
		{all: []verdict{good, bad}, want: "1 of 2 checkpoints are damaged: a run that resumes here begins with 2"},
	} {
		err := (&verification{Checkpoints: c.all}).conclude(c.one)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.all, err, c.want)
		}
	}
	v := verification{Checkpoints: []verdict{{Number: 1, Wrong: []string{"x"}, WrongPieces: 5}}}
	if text := v.text(); text != "1  damaged: x\n1  damaged: 4 more pieces\n" {
		t.Errorf("%q", text)
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"red": "red", `{"i":1}`: `{"i":1}`, "": `""`, "a\x1b[2Jb": `"a\x1b[2Jb"`, "\xff": `"\xff"`, "é": "é", "\u009b": `"\u009b"`,
	} {
		if got := base.Printable(text); got != want {
			t.Errorf("base.Printable(%q) = %s, want %s", text, got, want)
		}
	}
	if got := base.Short("0123456789", 5); got != "0123…" {
		t.Error(got)
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1 << 10: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 1 << 20: "1.0 MiB", 5 << 30: "5.0 GiB", math.MaxInt64: "8.0 EiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("bytesText(%d) = %s, want %s", n, got, want)
		}
	}
	if got := numbersText([]uint64{1, 2, 3, 4, 5, 6, 9}); got != "7 of 1 to 9" {
		t.Error(got)
	}
}

func TestParseChoice(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("odd:7", 0o777); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]choice{
		"ck":      {dir: "ck"},
		"ck:320":  {"ck", 320, true},
		"ck:new":  {dir: "ck:new"},
		"odd:7":   {dir: "odd:7"},
		"odd:7:8": {"odd:7", 8, true},
		":7":      {dir: ":7"},
	} {
		if got := parseChoice(text); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
