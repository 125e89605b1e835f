//go:build unix

package launch

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockFolder locks a folder of this user, until the result is closed or this process ends. Started
// programs do not inherit the lock.
func lockFolder(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	var is unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &is); err == nil && int(is.Uid) != os.Getuid() {
		err = os.ErrPermission
	}
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		_ = f.Close() // the first error counts
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return f, nil
}

// removeLeft removes this user's folders of memories that no process has locked.
func removeLeft(in string) {
	left, _ := filepath.Glob(filepath.Join(in, memoryPrefix+"*")) // an odd path has none
	for _, folder := range left {
		if lock, err := lockFolder(folder); err == nil {
			_, _ = os.RemoveAll(folder), lock.Close() // the next call tries again
		}
	}
}
