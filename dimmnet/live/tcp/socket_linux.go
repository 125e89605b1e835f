package tcp

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// latePort leaves the choice of a port to connect instead of bind. connect needs a port that is
// free only for the peer's address. With hundreds of ranks on a host, bind would search for longer
// than everything else takes.
func latePort(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// Without the option, bind is only slower.
		_ = unix.SetsockoptInt(int(fd), unix.SOL_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
	})
}
