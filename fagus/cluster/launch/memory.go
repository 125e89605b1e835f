package launch

import (
	"fmt"
	"os"
	"path/filepath"
)

// Memory is a folder in the memory of this host, for what must outlive the ranks of a job, but not
// the job.
type Memory struct {
	Folder string
	keeper *keeper
}

// memoryFolder is the file system in memory of Linux.
const memoryFolder = "/dev/shm"

// NewMemory makes an empty folder, which only this user can open. It is in /dev/shm or, on a system
// that has none, in os.TempDir.
func NewMemory() (*Memory, error) {
	name, err := jobName()
	if err != nil {
		return nil, err
	}
	m := &Memory{Folder: filepath.Join(memoryFolder, "fagus-"+name)}
	if err := os.Mkdir(m.Folder, 0o700); err != nil {
		m.Folder = filepath.Join(os.TempDir(), "fagus-"+name)
		if err := os.Mkdir(m.Folder, 0o700); err != nil {
			return nil, fmt.Errorf("launch: %w", err)
		}
	}
	m.keeper = keepFolder(m.Folder)
	return m, nil
}

// Close removes the folder. If this process ends without a call of Close, even by SIGKILL, another
// process removes the folder (on Unix, where there is a /bin/sh).
func (m *Memory) Close() error {
	err := os.RemoveAll(m.Folder)
	m.keeper.stop()
	if err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	return nil
}
