//go:build unix

package launch

import (
	"net"
	"os"
	"syscall"
)

// socketPair returns two connected sockets: one for this process, and one for another to inherit.
func socketPair() (net.Conn, *os.File, error) {
	syscall.ForkLock.RLock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(pair[0])
		syscall.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	own, theirs := os.NewFile(uintptr(pair[0]), "line"), os.NewFile(uintptr(pair[1]), "line")
	conn, err := net.FileConn(own)
	_ = own.Close() // conn has its own descriptor
	if err != nil {
		_ = theirs.Close() // no process has inherited it
	}
	return conn, theirs, err
}
