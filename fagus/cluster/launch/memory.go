package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Memory is a folder in the memory of this host, for what must outlive the ranks of a job, but not
// the job.
type Memory struct {
	Folder string
	keeper *keeper
	lock   io.Closer // of the folder, while this process lives
}

const (
	memoryFolder = "/dev/shm"      // the file system in memory of Linux
	memoryPrefix = "fagus-memory-" // begins the name of each folder
)

// NewMemory makes an empty folder, which only this user can open. It is in /dev/shm or, on a system
// that has none, in os.TempDir. NewMemory removes folders that killed processes of this user left
// there.
func NewMemory() (*Memory, error) {
	name, err := jobName()
	if err != nil {
		return nil, err
	}
	m, err := newMemory(memoryFolder, name)
	if err != nil {
		if m, err = newMemory(os.TempDir(), name); err != nil {
			return nil, fmt.Errorf("launch: %w", err)
		}
	}
	m.keeper = keepFolder(m.Folder)
	return m, nil
}

// newMemory makes a folder in another one. It locks the folder before it gives it its name: other
// processes remove folders with such names that nobody has locked.
func newMemory(in, name string) (*Memory, error) {
	removeLeft(in)
	made := filepath.Join(in, ".fagus-"+name)
	if err := os.Mkdir(made, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockFolder(made)
	if err != nil {
		_ = os.Remove(made) // the first error counts
		return nil, err
	}
	m := &Memory{Folder: filepath.Join(in, memoryPrefix+name), lock: lock}
	if err := os.Rename(made, m.Folder); err != nil {
		_, _ = os.Remove(made), lock.Close() // likewise
		return nil, err
	}
	return m, nil
}

// Close removes the folder. If this process ends without Close, even by SIGKILL, another process
// removes the folder (on Unix, where there is a /bin/sh). If that is killed, too, the next call of
// NewMemory does.
func (m *Memory) Close() error {
	err := os.RemoveAll(m.Folder)
	m.keeper.stop()
	if err = errors.Join(err, m.lock.Close()); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	return nil
}
