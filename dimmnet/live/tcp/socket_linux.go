package tcp

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// latePort makes bind choose no port, but connect: it needs a port that is free for the peer's
// address only. With hundreds of ranks on a host bind would search for longer than all else takes.
func latePort(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// Without the option, bind is only slower.
		_ = unix.SetsockoptInt(int(fd), unix.SOL_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
	})
}
