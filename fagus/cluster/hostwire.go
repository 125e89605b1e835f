package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
)

// hostWire connects the processes of one host, by sockets that the kernel knows the users
// of.
type hostWire struct {
	at *net.UnixAddr // of rank 0
}

func (w hostWire) greet(socket net.Conn) (conn, error) {
	s := socket.(*net.UnixConn) // that of a Unix listener
	pid, uid, err := peerCredentials(s)
	if err != nil {
		return nil, err
	}
	if uid != os.Geteuid() {
		return nil, errForeign
	}
	return newPackets(s, pid), nil
}

func (w hostWire) call(context.Context) (conn, bool, error) {
	socket, err := net.DialUnix(network, nil, w.at)
	if err != nil {
		return nil, false, fmt.Errorf("at %s: %w", w.at.Name, err)
	}
	pid, uid, err := peerCredentials(socket)
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("cluster: pid %d of user %d listens where rank 0 of this job should: this process is of user %d", pid, uid, os.Geteuid())
	}
	if err != nil {
		_ = socket.Close() // it was not used
		return nil, true, err
	}
	return newPackets(socket, pid), false, nil
}
