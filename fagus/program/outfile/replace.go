package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// Replace replaces the content of the file at path: it calls write with a temporary file in the
// same folder, syncs this file, and renames it to path. After an error or a crash the file has
// either the complete old content or the complete new content. Replace follows a symbolic link,
// and an existing file keeps its permissions.
func Replace(path string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.Stat(path)
	switch {
	case err == nil && !old.Mode().IsRegular():
		return errors.New("not a regular file")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	exists := err == nil
	f, name, err := create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && name != "" {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	err = write(f)
	if err == nil && exists {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil && name == "" {
		err = beside(path, func(hidden string) error { return appear(f, hidden) }, &name)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(name, path)
}

// create creates a file, with default permissions, in the folder of path. Where the system can, it
// has no name, so that nothing is left of it if the process ends; else it has a hidden one.
func create(path string) (f *os.File, name string, err error) {
	if f := nameless(filepath.Dir(path)); f != nil {
		return f, "", nil
	}
	err = beside(path, func(hidden string) (err error) {
		f, err = os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	}, &name)
	return f, name, err
}

// beside calls try with hidden names in the folder of path until one does not exist yet, and sets
// name to it.
func beside(path string, try func(hidden string) error, name *string) error {
	dir, base := filepath.Split(path)
	for n := 0; ; n++ {
		hidden := filepath.Join(dir, fmt.Sprintf(".%s.%016x.tmp", base, rand.Uint64()))
		err := try(hidden)
		if err == nil {
			*name = hidden
		}
		if err == nil || n == 10 || !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// CheckFolder returns an error if no file can be created in dir.
func CheckFolder(dir string) error {
	f, err := os.CreateTemp(dir, ".fagus-*")
	if err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		return fmt.Errorf("cannot write to folder %s: %w", dir, errno)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
