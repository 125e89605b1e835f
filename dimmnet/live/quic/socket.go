package quic

import (
	"errors"
	"net"
	"syscall"
)

// lossy is a UDP socket that loses datagrams which the system cannot send now, as the network
// would. quic-go would close the connection, although the host may be cut off for a moment only:
// a link that is down or a missing route is an error of sending, where it is silence for TCP.
type lossy struct{ *net.UDPConn }

// WriteMsgUDP sends a datagram. quic-go calls it, and through it alone sends.
func (s lossy) WriteMsgUDP(b, oob []byte, to *net.UDPAddr) (n, oobn int, err error) {
	n, oobn, err = s.UDPConn.WriteMsgUDP(b, oob, to)
	if unsendable(err) {
		return len(b), len(oob), nil
	}
	return n, oobn, err
}

// unsendable reports whether err means that the network is not there, or not now.
func unsendable(err error) bool {
	for _, e := range []error{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.ENOBUFS, syscall.EPERM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
