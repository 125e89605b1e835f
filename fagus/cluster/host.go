package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// Host is the membership of one rank in a job on this host. It implements shm.Member.
//
// Swap, Gather and Close are collective: all ranks make the same calls in the same order, one at a
// time. When one fails, the job has failed at every rank, and every later call fails.
type Host struct{ member }

// Swap sends the open file own to all ranks and returns the files of all ranks, indexed by rank;
// the entry of this rank is own. Swap returns when all ranks have called it, when ctx is done, or
// when the job fails. The caller owns the returned files; after an error it still owns own.
func (h *Host) Swap(ctx context.Context, own *os.File) ([]*os.File, error) {
	shares, err := h.exchange(ctx, kindFiles, share{file: own})
	if err != nil {
		return nil, err
	}
	files := make([]*os.File, len(shares))
	for rank, s := range shares {
		files[rank] = s.file
	}
	return files, nil
}

// hostWire connects by Unix sockets. The kernel tells each process the user of the other.
type hostWire struct {
	address *net.UnixAddr // where rank 0 listens
}

func (w hostWire) accept(socket net.Conn) (conn, error) {
	s := socket.(*net.UnixConn) // the listener is a Unix listener
	pid, uid, err := peerCredentials(s)
	if err != nil {
		return nil, err
	}
	if uid != os.Geteuid() {
		return nil, errForeign
	}
	return newPackets(s, pid), nil
}

func (w hostWire) dial(context.Context) (conn, bool, error) {
	socket, err := net.DialUnix(network, nil, w.address)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return nil, false, absent{w.address.Name}
	}
	if err != nil {
		return nil, false, fmt.Errorf("at %s: %w", w.address.Name, err)
	}
	pid, uid, err := peerCredentials(socket)
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("cluster: pid %d of user %d listens at the address of rank 0, but this process is of user %d", pid, uid, os.Geteuid())
	}
	if err != nil {
		_ = socket.Close() // nothing was sent
		return nil, true, err
	}
	return newPackets(socket, pid), false, nil
}
