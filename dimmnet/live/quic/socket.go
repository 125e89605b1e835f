package quic

import (
	"errors"
	"net"
	"syscall"
)

// lossy is a UDP socket that loses datagrams that the system cannot send now, as the network
// would. quic-go would close the connection, although the host may be cut off only for a moment: a
// link that is down, or a missing route, is an error when UDP sends, but silence for TCP.
type lossy struct{ *net.UDPConn }

// WriteMsgUDP sends a datagram. quic-go sends only through it.
func (s lossy) WriteMsgUDP(b, oob []byte, to *net.UDPAddr) (n, oobn int, err error) {
	n, oobn, err = s.UDPConn.WriteMsgUDP(b, oob, to)
	if unsendable(err) {
		return len(b), len(oob), nil
	}
	return n, oobn, err
}

// unsendable reports whether err means that the network is unreachable, or unreachable now.
func unsendable(err error) bool {
	for _, e := range []error{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.ENOBUFS, syscall.EPERM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
