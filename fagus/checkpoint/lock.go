package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// lockName is the file that is locked while a job uses the directory.
const lockName = "lock"

// errInUse means that another process has locked the directory.
var errInUse = errors.New("another job is using it")

// lock locks the directory for this process, and writes into the file which process has locked it.
// Where files cannot be locked, two jobs may write the same checkpoint, and one of them fails.
func (d hostDisk) lock() (unlock func() error, err error) {
	f, err := d.openLock()
	if err != nil {
		return nil, err
	}
	who := head(f)
	if err := flock(f); err != nil {
		_ = f.Close() // the first error counts
		if !errors.Is(err, errInUse) {
			return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
		}
		return nil, fmt.Errorf("%w (%s): give each job its own directory; if that host is lost for good, remove %s", errInUse, strings.TrimSpace(who), f.Name())
	}
	host, _ := os.Hostname() // only for the message
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(holder(os.Getpid(), host)), 0)
	}
	return f.Close, nil
}

// holder returns the content of the file.
func holder(pid int, host string) string { return fmt.Sprintf("process %d on %s\n", pid, host) }

// isHolder reports whether a text is a result of holder, or the beginning of one.
func isHolder(text string) bool {
	var pid int
	n, _ := fmt.Sscanf(text, "process %d on ", &pid)
	return n == 1
}

// head returns the beginning of a file.
func head(f *os.File) string {
	b := make([]byte, 200)
	n, _ := f.ReadAt(b, 0) // unreadable text counts as empty
	return string(b[:n])
}
