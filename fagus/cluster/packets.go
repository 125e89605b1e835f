package cluster

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// packets carries messages and files between two processes of one host.
type packets struct {
	*net.UnixConn
	pid    int    // process at the other end
	packet []byte // receive buffer
	rights []byte // buffer for the control messages that carry files
}

// network keeps packets whole and in order, and reports the end of the other process.
const network = "unixpacket"

func newPackets(socket *net.UnixConn, pid int) *packets {
	return &packets{UnixConn: socket, pid: pid, packet: make([]byte, maxPacket), rights: make([]byte, rightsSpace(filesAMessage))}
}

func (c *packets) remote() string { return fmt.Sprintf("pid %d", c.pid) }

// checkRank accepts every rank: processes of one user trust each other.
func (c *packets) checkRank(int) error { return nil }

func (c *packets) send(m message) error {
	rights := fileRights(m.files)
	n, oobn, err := c.WriteMsgUnix(m.encode(), rights, nil)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if n != headerBytes+len(m.body) || oobn != len(rights) {
		panic(fmt.Sprintf("cluster: sending a packet of %d data and %d control bytes: the kernel sent %d and %d", headerBytes+len(m.body), len(rights), n, oobn))
	}
	return nil
}

func (c *packets) receive() (message, error) {
	n, oobn, flags, failure := c.read()
	files, err := rightsFiles(c.rights[:oobn])
	if failure != nil {
		closeAll(files) // an empty packet looks like the end of the stream, and may carry files
		return message{}, failure
	}
	if err == nil && flags&(truncated) != 0 {
		err = fmt.Errorf("cluster: receiving a packet: it has more than %d bytes or %d files, or this process has no free file descriptors", maxPacket, filesAMessage)
	}
	var m message
	if err == nil {
		var want int
		if m, want, err = decode(c.packet[:n]); err == nil && want != len(files) {
			err = fmt.Errorf("cluster: receiving a message: it announces %d files, but %d came with it", want, len(files))
		}
	}
	if err != nil {
		closeAll(files)
		return message{}, err
	}
	m.files = files
	return m, nil
}

func (c *packets) read() (n, oobn, flags int, err error) {
	n, oobn, flags, _, err = c.ReadMsgUnix(c.packet, c.rights)
	if errors.Is(err, syscall.ECONNRESET) {
		// The other end closed before it had read everything. The kernel reports this error once,
		// before it delivers the remaining packets of the other end.
		n, oobn, flags, _, err = c.ReadMsgUnix(c.packet, c.rights)
	}
	switch {
	case err == nil:
		return n, oobn, flags, nil
	case errors.Is(err, io.EOF):
		return 0, oobn, 0, io.EOF
	}
	return 0, oobn, 0, fmt.Errorf("cluster: %w", err)
}
