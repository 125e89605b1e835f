package quic

import (
	"net"
	"os"
	"syscall"
	"testing"
)

// TestUnsendable checks which errors of sending a datagram count as a loss: a full queue and an
// unreachable network do. A datagram that is too long does not, because quic-go learns the path's
// size by it. Nor does the end of the socket.
func TestUnsendable(t *testing.T) {
	for e, want := range map[error]bool{
		syscall.ENETUNREACH: true, syscall.EHOSTUNREACH: true, syscall.ENETDOWN: true,
		syscall.ENOBUFS: true, syscall.EPERM: true,
		syscall.EMSGSIZE: false, net.ErrClosed: false, syscall.EBADF: false,
	} {
		err := &net.OpError{Op: "write", Net: "udp", Err: os.NewSyscallError("sendmsg", e)}
		if got := unsendable(err); got != want {
			t.Errorf("%v: lost %t, want %t", err, got, want)
		}
	}
	if unsendable(nil) {
		t.Error("a datagram that was sent is lost")
	}
}
