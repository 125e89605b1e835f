package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// disk is the part of a file system that a directory needs: the host's file system, or one that
// fails or loses its power, for tests. Names are relative to the directory.
type disk interface {
	// Create makes a file, which must not exist.
	Create(name string) (file, error)
	Open(name string) (Reader, error)
	// Link gives a file a second name, which must not exist.
	Link(from, to string) error
	Remove(name string) error
	List() ([]Object, error)
	// Sync makes the names durable.
	Sync() error
}

// file is a file that is being written.
type file interface {
	io.Writer
	// Sync makes the bytes durable.
	Sync() error
	Close() error
}

// Directory is a Store in a directory of a file system that all ranks share.
type Directory struct {
	// Patience is how long Lock waits for another job to end, such as an earlier start of this one.
	Patience time.Duration

	path string
	disk disk
	lock func() (unlock func() error, err error)
}

var _ Store = (*Directory)(nil)

// OpenDirectory returns the store in a directory, which it makes if it does not exist.
func OpenDirectory(path string) (*Directory, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if err := os.MkdirAll(path, 0o777); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("checkpoint: %s is a link to something that does not exist: %w", path, fs.ErrNotExist)
	} else if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	host := hostDisk{path: path}
	return &Directory{path: path, disk: host, lock: host.lock}, nil
}

// String returns the path.
func (d *Directory) String() string { return d.path }

const unfinished = ".unfinished"

// temporaryText matches the names of temporaryName.
var temporaryText = regexp.MustCompile(`^.+\.[0-9a-f]{16}\.unfinished$`)

// Create implements Store. Each file has a name of its own until it is committed: a rank of an
// earlier start of the job may still be writing the same object.
func (d *Directory) Create(_ context.Context, name string) (Writer, error) {
	temporary := temporaryName(name)
	f, err := d.disk.Create(temporary)
	if err != nil {
		return nil, err
	}
	return &directoryWriter{f, d.disk, name, temporary}, nil
}

type directoryWriter struct {
	file
	disk            disk
	name, temporary string
}

// Commit makes the bytes durable, then gives the file its name, then makes the name durable.
func (w *directoryWriter) Commit() error {
	err := w.Sync()
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = w.disk.Link(w.temporary, w.name)
	}
	if removed := w.disk.Remove(w.temporary); err == nil && !errors.Is(removed, fs.ErrNotExist) {
		err = removed
	}
	if err != nil {
		return err
	}
	return w.disk.Sync()
}

// Abort removes the file.
func (w *directoryWriter) Abort() {
	_ = w.Close() // the data are useless
	_ = w.disk.Remove(w.temporary)
}

// Open implements Store.
func (d *Directory) Open(_ context.Context, name string) (Reader, error) { return d.disk.Open(name) }

// List implements Store.
func (d *Directory) List(context.Context) ([]Object, error) {
	all, err := d.disk.List()
	var objects []Object
	for _, o := range all {
		if !strings.HasSuffix(o.Name, unfinished) && o.Name != lockName {
			objects = append(objects, o)
		}
	}
	return objects, err
}

// Remove implements Store.
func (d *Directory) Remove(_ context.Context, name string) error {
	if err := d.disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Lock implements Store. It removes the unfinished files of jobs that died.
func (d *Directory) Lock(ctx context.Context) (unlock func() error, err error) {
	const pause = 10 * time.Millisecond
	unlock, err = d.lock()
	for waited := time.Duration(0); errors.Is(err, errInUse) && waited < d.Patience && ctx.Err() == nil; waited += pause {
		time.Sleep(pause)
		unlock, err = d.lock()
	}
	if err != nil {
		return nil, err
	}
	all, err := d.disk.List()
	for _, o := range all {
		if err == nil && temporaryText.MatchString(o.Name) {
			err = d.disk.Remove(o.Name)
		}
	}
	if err != nil {
		_ = unlock() // the first error counts
		return nil, err
	}
	return unlock, nil
}

// hostDisk is a directory of the host's file system.
type hostDisk struct {
	path   string
	others bool // files of other users may be read
}

func (d hostDisk) at(name string) string { return filepath.Join(d.path, name) }

// Create implements disk.
func (d hostDisk) Create(name string) (file, error) {
	return os.OpenFile(d.at(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// Open implements disk.
func (d hostDisk) Open(name string) (Reader, error) {
	f, info, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &hostFile{f, info.Size()}, nil
}

type hostFile struct {
	*os.File
	size int64
}

// Size implements Reader.
func (f *hostFile) Size() int64 { return f.size }

// Link implements disk. In a file system without links it renames the file, so that two jobs could
// replace each other's.
func (d hostDisk) Link(from, to string) error {
	err := os.Link(d.at(from), d.at(to))
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, exists := os.Lstat(d.at(to)); !errors.Is(exists, fs.ErrNotExist) {
		return err
	}
	return os.Rename(d.at(from), d.at(to))
}

// Remove implements disk.
func (d hostDisk) Remove(name string) error { return os.Remove(d.at(name)) }

// List implements disk. It leaves out a file that disappears meanwhile. If the name of a
// checkpoint belongs to a file of somebody else, a job fails: it would use its number. A reader
// lists it, unless it is a directory, and gets the error when it opens it.
func (d hostDisk) List() (all []Object, err error) {
	entries, err := os.ReadDir(d.path)
	for _, e := range entries {
		info, gone := e.Info()
		if gone != nil {
			continue
		}
		_, what := parseName(e.Name())
		if what != unknown && !d.others {
			if foreign := d.check(e.Name(), info); foreign != nil {
				return nil, foreign
			}
		}
		if info.Mode().IsRegular() || what != unknown && !info.IsDir() {
			all = append(all, Object{e.Name(), info.Size()})
		}
	}
	return all, err
}

// Sync implements disk. Windows cannot do it, and makes names durable by itself.
func (d hostDisk) Sync() error {
	f, err := os.Open(d.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !syncless {
		return err
	}
	return nil
}
