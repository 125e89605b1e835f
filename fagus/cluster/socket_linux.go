package cluster

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// truncated are the flags of a packet that was not received as a whole.
const truncated = syscall.MSG_TRUNC | syscall.MSG_CTRUNC

// supported says whether this system has what JoinHost needs.
func supported() error { return nil }

// peerCredentials are the process and the user at the other end, as the kernel knows them.
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
		return 0, 0, fmt.Errorf("cluster: who is at the other end: %w", err)
	}
	return int(ucred.Pid), int(ucred.Uid), nil
}

// rightsSpace is how many bytes of control messages bring n files.
func rightsSpace(n int) int { return syscall.CmsgSpace(n * 4) }

// fileRights is the control message that sends files.
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

// rightsFiles are the files that control messages have brought. Beside an error it
// returns those that it has found.
func rightsFiles(control []byte) ([]*os.File, error) {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return nil, fmt.Errorf("cluster: control messages: %w", err)
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return files, fmt.Errorf("cluster: a control message that brings no files: %w", err)
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files, nil
}
