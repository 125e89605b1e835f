package presets

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/reliable"
)

// Ethernet is the 100BASE-TX network that joins the hosts: in addition to their NICs or, in
// UDP-Fagus, instead of them. Each host has a cable to one switch. The switch receives a frame in
// full before it forwards it, and its buffers are unlimited.
type Ethernet struct {
	Byte       dimmnet.Time // time of one byte on a cable
	FrameBytes int          // size of the header and the check sequence of a frame
	MinFrame   int          // shorter frames are padded to this size
	GapBytes   int          // size of preamble and gap, for which a frame also occupies the cable
	IPBytes    int          // size of the IP and UDP headers
	Packet     int          // largest IP packet in a frame
	NoticeIP   int          // size of a notice's IP packet: a TCP segment of one byte
	// delay from the last bit of a frame to its first bit on an idle output port
	Switch dimmnet.Time
}

// WireTime returns for how long an IP packet of this size occupies a cable.
func (e *Ethernet) WireTime(packet int) dimmnet.Time {
	return dimmnet.Time(max(e.FrameBytes+packet, e.MinFrame)+e.GapBytes) * e.Byte
}

// DatagramTime is WireTime of a UDP datagram.
func (e *Ethernet) DatagramTime(payload int) dimmnet.Time { return e.WireTime(e.IPBytes + payload) }

func (e *Ethernet) check(preset string) error {
	if e.Byte <= 0 || e.Switch < 0 || min(e.FrameBytes, e.MinFrame, e.GapBytes, e.IPBytes, e.NoticeIP) < 0 || e.Packet <= e.IPBytes {
		return fmt.Errorf("sim: preset %q: invalid Ethernet %+v", preset, *e)
	}
	return nil
}

// UDPTimes describes a host and its protocol stack as a port: ordinary memory serves as LLCM, and
// the CPU does all work. The times are CPU time unless stated otherwise.
type UDPTimes struct {
	Limits dimmnet.Limits
	Conn   reliable.Config // Payload is computed from the Ethernet

	Post        dimmnet.Time // a post, into the open datagram
	Send        dimmnet.Time // the system call for a datagram, down to the driver
	SendByte    dimmnet.Time // copy and checksum of a byte
	Receive     dimmnet.Time // interrupt and protocol stack for a datagram
	ReceiveByte dimmnet.Time // copy and checksum of a byte
	Reply       dimmnet.Time // a datagram that the protocol stack sends by itself
	Wake        dimmnet.Time // from the end of the interrupt until a sleeping thread continues
	Load        dimmnet.Time // a word of memory
	LoadByte    dimmnet.Time // each byte of a longer Read, or of a post to the own rank
	Held        dimmnet.Time // the longest time that a reordered datagram is held back
}

// RecordBytes is the size of a post in a datagram without its bytes: an offset and a length.
const RecordBytes = 6

func (u *UDPTimes) check(preset string) error {
	if err := u.Conn.Check(); err != nil {
		return fmt.Errorf("sim: preset %q: %w", preset, err)
	}
	l := u.Limits
	if l.Store != dimmnet.WordBytes || l.Block < l.Store || l.Block > u.Conn.Payload-RecordBytes || l.LLCM < l.Block || l.LLCM%dimmnet.WordBytes != 0 ||
		l.RDMA != 0 || l.Bulk != 0 || l.Multicast != 0 {
		return fmt.Errorf("sim: preset %q: UDP: invalid limits %+v for payloads of %d bytes", preset, l, u.Conn.Payload)
	}
	if min(u.Post, u.Send, u.SendByte, u.Receive, u.ReceiveByte, u.Reply, u.Wake, u.Load-1, u.LoadByte, u.Held) < 0 {
		return fmt.Errorf("sim: preset %q: UDP: %+v: a time is negative, or Load is not above 0", preset, *u)
	}
	return nil
}
