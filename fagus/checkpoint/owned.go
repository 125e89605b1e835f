package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
)

// ForeignError means that the file under the name of a checkpoint, or of the lock, was not made by
// a job of this user. It is left as it is.
type ForeignError struct {
	Path string
	What string // "is a symbolic link"
}

// Error says what to do.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s %s, not a regular file of this user's jobs, and links are not followed here: move it away, or give the job another directory", e.Path, e.What)
}

// Is makes errors.Is treat a ForeignError as fs.ErrPermission.
func (e *ForeignError) Is(target error) bool { return target == fs.ErrPermission }

// check returns an error unless a file may belong to one of this user's jobs.
func (d hostDisk) check(name string, info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		if uid, is := owner(info); is && !d.others && !d.mine(uid) {
			what = fmt.Sprintf("is a file of user %d", uid)
		}
	case mode&fs.ModeSymlink != 0:
		what = "is a symbolic link"
	case mode.IsDir():
		what = "is a directory"
	default:
		what = "is no regular file"
	}
	if what != "" {
		return &ForeignError{d.at(name), what}
	}
	return nil
}

// mine reports whether uid is the user of this process. The file server may have another number
// for this user: then new files have that number.
func (d hostDisk) mine(uid uint32) bool {
	if int(uid) == os.Geteuid() {
		return true
	}
	probe := temporaryName("probe")
	f, err := d.Create(probe)
	if err != nil {
		return false
	}
	info, err := os.Lstat(d.at(probe))
	_, _ = f.Close(), d.Remove(probe) // nothing was written; the next job removes it
	if err != nil {
		return false
	}
	own, _ := owner(info)
	return own == uid
}

// open opens a file that check permits.
func (d hostDisk) open(name string, flags int) (*os.File, fs.FileInfo, error) {
	seen, err := os.Lstat(d.at(name))
	if err == nil {
		err = d.check(name, seen)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(d.at(name), flags|careful, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = &ForeignError{d.at(name), "was exchanged while it was opened"}
	}
	if err != nil {
		_ = f.Close() // the first error counts
		return nil, nil, err
	}
	return f, info, nil
}

// openLock opens the file to lock, and makes it if it does not exist. It must be empty, or contain
// what a job writes: truncating another file would lose somebody's data.
func (d hostDisk) openLock() (f *os.File, err error) {
	for range 3 { // other jobs make and remove the file
		var info fs.FileInfo
		if f, info, err = d.open(lockName, os.O_RDWR); err == nil {
			if linked(info) {
				err = &ForeignError{d.at(lockName), "has another name (a hard link)"}
			} else if text := head(f); text != "" && !isHolder(text) {
				err = &ForeignError{d.at(lockName), fmt.Sprintf("has contents that no job has written (%.20q)", text)}
			}
			if err != nil {
				_ = f.Close() // the first error counts
			}
			return f, err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if f, err = os.OpenFile(d.at(lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err == nil || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return f, err
}

// temporaryName returns a name for an object that is being written.
func temporaryName(name string) string {
	return fmt.Sprintf("%s.%016x%s", name, rand.Uint64(), unfinished)
}
