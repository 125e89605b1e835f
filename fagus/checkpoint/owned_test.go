//go:build unix

package checkpoint_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// TestForeign: a file of somebody else in the place of a file that a job would open is left as it
// is. The error names it and says what to do.
func TestForeign(t *testing.T) {
	const lock, manifest, part = "lock", "c00000002.manifest", "c00000002-00000.part"
	text := func(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
	for _, c := range []struct {
		name, want string
		make       func(path, victim string) error
	}{
		{lock, "is a symbolic link", func(path, victim string) error { return os.Symlink(victim, path) }},
		{lock, "is a symbolic link", func(path, _ string) error { return os.Symlink("c00000001.manifest", path) }},
		{lock, "is a symbolic link", func(path, victim string) error { return os.Symlink(victim+".new", path) }},
		{lock, "is a directory", func(path, _ string) error { return os.Mkdir(path, 0o700) }},
		{lock, "is no regular file", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
		{lock, "has another name (a hard link)", func(path, victim string) error { return os.Link(victim, path) }},
		{lock, `has contents that no job has written ("somebody's notes")`, func(path, _ string) error { return text(path, "somebody's notes") }},
		{lock, "is a file of user 12345", func(path, _ string) error { return errors.Join(text(path, ""), os.Chown(path, 12345, -1)) }},
		{manifest, "is a symbolic link", func(path, victim string) error { return os.Symlink(victim, path) }},
		{manifest, "is a directory", func(path, _ string) error { return os.Mkdir(path, 0o700) }},
		{manifest, "is no regular file", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
		{manifest, "is a file of user 12345", func(path, _ string) error { return errors.Join(text(path, "x"), os.Chown(path, 12345, -1)) }},
		{part, "is a symbolic link", func(path, victim string) error { return os.Symlink(victim, path) }},
		{part, "is no regular file", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
	} {
		dir, outside := t.TempDir(), t.TempDir()
		victim := filepath.Join(outside, "victim")
		before := filepath.Join(dir, "c00000001.manifest")
		path := filepath.Join(dir, c.name)
		if err := errors.Join(text(victim, "precious"), text(before, "whole")); err != nil {
			t.Fatal(err)
		}
		if err := c.make(path, victim); err != nil {
			if errors.Is(err, fs.ErrPermission) { // only root may give files away
				continue
			}
			t.Fatal(err)
		}
		seen, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		unlock, err := store.Lock(t.Context())
		if err == nil {
			_ = unlock()
		}
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), path+" "+c.want) || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%s: Lock: error %v, want that it %s", c.name, err, c.want)
		}
		if c.name != lock {
			if _, err := store.Open(t.Context(), c.name); err == nil || !strings.Contains(err.Error(), path+" "+c.want) {
				t.Errorf("%s: Open: error %v, want that it %s", c.name, err, c.want)
			}
		}
		if now, err := os.Lstat(path); err != nil || now.Mode() != seen.Mode() || now.Size() != seen.Size() || !os.SameFile(now, seen) {
			t.Errorf("%s, which %s, is %v now, %v: want %v", c.name, c.want, now, err, seen)
		}
		for name, want := range map[string]string{victim: "precious", before: "whole"} {
			if got, err := os.ReadFile(name); string(got) != want {
				t.Errorf("%s, which %s: %s has %q, %v", c.name, c.want, name, got, err)
			}
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
			t.Errorf("%s, which %s: outside are %v, %v", c.name, c.want, left, err)
		}
	}
}

// TestOwnLock: the lock of an earlier job of this user does not count as foreign.
func TestOwnLock(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"process 7 on host\n", ""} {
		if err := os.WriteFile(filepath.Join(dir, "lock"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		unlock, err := store.Lock(t.Context())
		if err != nil {
			t.Fatalf("with %q: %v", text, err)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
}

// TestOthersNames: only names that a job gives to unfinished files are removed.
func TestOthersNames(t *testing.T) {
	dir := t.TempDir()
	for name, left := range map[string]bool{"notes.unfinished": true, "x.0123.unfinished": true, ".unfinished": true, "c00000001-00000.part.0123456789abcdef.unfinished": false} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		unlock, err := store.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = os.Lstat(filepath.Join(dir, name))
		if (err == nil) != left {
			t.Errorf("%s: %v, want that it is left: %t", name, err, left)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
}
