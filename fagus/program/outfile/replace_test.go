package outfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/program/outfile"
)

// write returns a function for Replace. The function writes text and then returns err.
func write(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		_, e := io.WriteString(w, text)
		return errors.Join(e, err)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "m.npy"), filepath.Join(dir, "link.npy")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("m.npy", link); err != nil {
		t.Fatal(err)
	}
	err := outfile.Replace(path, write("half", errors.New("disk full")))
	if err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v, want disk full", err)
	}
	if b, err := os.ReadFile(path); string(b) != "old" {
		t.Errorf("after a failure: %q, %v: want the old content", b, err)
	}
	if left, err := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("after a failure: %v, %v: want 2 files", left, err)
	}
	if err := outfile.Replace(link, write("new", nil)); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); string(got) != "new" {
		t.Errorf("written through a link: %q, %v", got, err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, %v: want that of the old file, 0640", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info.Mode(), err)
	}
}

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	if err := outfile.CheckFolder(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("CheckFolder left the files %v, %v: want no files", left, err)
	}
	if err := outfile.CheckFolder(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that does not exist: unexpected error %v", err)
	}
}

// TestNoNameWhileWriting: nothing is left of a process that ends while it writes, because the file
// has no name before it is whole.
func TestNoNameWhileWriting(t *testing.T) {
	dir := t.TempDir()
	if !outfile.Nameless(dir) {
		t.Skipf("the file system of %s has no files without names", dir)
	}
	err := outfile.Replace(filepath.Join(dir, "m.npy"), func(w io.Writer) error {
		if _, err := io.WriteString(w, "text"); err != nil {
			return err
		}
		if left, err := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("while it is written: %v, %v: want no files", left, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadDir(dir); len(got) != 1 || got[0].Name() != "m.npy" {
		t.Errorf("afterwards: %v, %v: want m.npy alone", got, err)
	}
}
