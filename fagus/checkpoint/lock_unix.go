//go:build unix

package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// syncless means that directories cannot be synced.
const syncless = false

// lock locks a file for this process. It says in the file who has locked it.
func lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		who, _ := io.ReadAll(io.LimitReader(f, 200)) // only for the message
		return nil, fmt.Errorf("%w (%s): give each job its own directory; if that host is lost for good, remove %s", errInUse, strings.TrimSpace(string(who)), path)
	}
	host, _ := os.Hostname() // only for the message
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "process %d on %s\n", os.Getpid(), host)
	}
	return f.Close, nil
}
