//go:build unix

package runflags

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns returns the width of a terminal; ok is false if f is none.
func columns(f *os.File) (width int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
