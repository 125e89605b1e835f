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
	pid    int    // of the other end
	packet []byte // the last one that was received
	rights []byte
}

// network keeps packets whole and in order, and tells when the other end is gone.
const network = "unixpacket"

func newPackets(socket *net.UnixConn, pid int) *packets {
	return &packets{UnixConn: socket, pid: pid, packet: make([]byte, maxPacket), rights: make([]byte, rightsSpace(filesAMessage))}
}

func (c *packets) remote() string { return fmt.Sprintf("pid %d", c.pid) }

// vouch: the kernel knows the user, and ranks of a user trust each other.
func (c *packets) vouch(int) error { return nil }

// send is for several goroutines. The files stay the caller's.
func (c *packets) send(m message) error {
	rights := fileRights(m.files)
	n, oobn, err := c.WriteMsgUnix(m.encode(), rights, nil)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if n != headerBytes+len(m.body) || oobn != len(rights) {
		panic(fmt.Sprintf("cluster: of a packet of %d and %d bytes the kernel has sent %d and %d", headerBytes+len(m.body), len(rights), n, oobn))
	}
	return nil
}

// receive waits for a message. Its body lasts until the next one; its files are the
// caller's. io.EOF says that the other end is closed.
func (c *packets) receive() (message, error) {
	n, oobn, flags, failure := c.read()
	files, err := rightsFiles(c.rights[:oobn])
	if failure != nil {
		closeAll(files) // an empty packet looks like the end, and may bring some
		return message{}, failure
	}
	if err == nil && flags&(truncated) != 0 {
		err = fmt.Errorf("cluster: a packet of more than %d bytes or %d files, or this process can open no more", maxPacket, filesAMessage)
	}
	var m message
	if err == nil {
		var want int
		if m, want, err = decode(c.packet[:n]); err == nil && want != len(files) {
			err = fmt.Errorf("cluster: a message says that it has %d files and has %d", want, len(files))
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
		// The other end has closed without having read everything, which the kernel
		// tells once, and before what that end had said.
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
