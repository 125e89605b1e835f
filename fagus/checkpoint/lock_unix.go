//go:build unix

package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// syncless means that directories cannot be synced.
	syncless = false

	// careful are the flags for opening a file that another user may have exchanged: no link is
	// followed, and a pipe does not block.
	careful = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY
)

// flock locks a file until it is closed.
func flock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errInUse
	}
	return err
}

// owner returns the user who owns a file.
func owner(info fs.FileInfo) (uid uint32, is bool) {
	s, is := info.Sys().(*syscall.Stat_t)
	if !is {
		return 0, false
	}
	return s.Uid, true
}

// linked reports whether a file has several names.
func linked(info fs.FileInfo) bool {
	s, is := info.Sys().(*syscall.Stat_t)
	return is && s.Nlink > 1
}
