package outfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// nameless creates a file without a name in a folder. It returns nil if that, or appear, cannot
// work there.
func nameless(folder string) *os.File {
	f, err := os.OpenFile(folder, os.O_WRONLY|unix.O_TMPFILE, 0o666)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(ownPath(f)); err != nil {
		_ = f.Close() // nothing is written
		return nil
	}
	return f
}

// appear gives a nameless file a name that does not exist yet.
func appear(f *os.File, name string) error {
	if err := unix.Linkat(unix.AT_FDCWD, ownPath(f), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return &os.LinkError{Op: "link", Old: "a file without a name", New: name, Err: err}
	}
	return nil
}

func ownPath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
