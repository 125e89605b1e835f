//go:build unix

package pmi

import (
	"errors"
	"syscall"
)

// duplicate returns a copy of a socket's descriptor that does not block. Started programs inherit
// neither. The original stays open, so that no other file of this process gets its number.
func duplicate(fd int) (int, error) {
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return 0, err
	}
	if info.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return 0, errors.New("it is no socket")
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	own, err := syscall.Dup(fd)
	if err != nil {
		return 0, err
	}
	syscall.CloseOnExec(own)
	syscall.CloseOnExec(fd)
	return own, syscall.SetNonblock(own, true) // os.NewFile then supports deadlines
}
