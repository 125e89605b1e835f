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
	f, err := createBeside(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = write(f)
	if err == nil && exists {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// createBeside creates a hidden file, with default permissions, in the folder of path.
func createBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%016x.tmp", base, rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || try == 10 || !errors.Is(err, fs.ErrExist) {
			return f, err
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
