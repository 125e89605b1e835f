package matrix

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Replace puts what write writes into the file at path, by way of a temporary
// file in the same folder that is synced and renamed. After an error or a crash
// the old content is there, or the new, never a part. A link to a
// file is followed, and a file that exists keeps its permissions.
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

// createBeside makes a new hidden file in the folder of path. Unlike
// os.CreateTemp it gives the file the permissions of any new one.
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

// withoutPath drops the path from an error of package os whose caller has named
// it already.
func withoutPath(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}
