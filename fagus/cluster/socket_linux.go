package cluster

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// truncated has the flags of a packet that is not received whole.
const truncated = syscall.MSG_TRUNC | syscall.MSG_CTRUNC

// supported returns nil: Linux has everything that JoinHost needs.
func supported() error { return nil }

// peerCredentials returns the process and the user at the other end, as reported by the kernel.
func peerCredentials(socket *net.UnixConn) (pid, uid int, err error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, 0, fmt.Errorf("cluster: %w", err)
	}
	var ucred *syscall.Ucred
	var failure error
	err = raw.Control(func(fd uintptr) {
		ucred, failure = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err == nil {
		err = failure
	}
	if err != nil {
		return 0, 0, fmt.Errorf("cluster: reading the credentials of the other end: %w", err)
	}
	return int(ucred.Pid), int(ucred.Uid), nil
}

func rightsSpace(n int) int { return syscall.CmsgSpace(n * 4) }

func fileRights(files []*os.File) []byte {
	if len(files) == 0 {
		return nil
	}
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	return syscall.UnixRights(fds...)
}

func rightsFiles(control []byte) ([]*os.File, error) {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return nil, fmt.Errorf("cluster: parsing control messages: %w", err)
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return files, fmt.Errorf("cluster: reading the files of a control message: %w", err)
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files, nil
}
