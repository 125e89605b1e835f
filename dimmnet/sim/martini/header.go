package martini

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Sizes of the chip (docs/lab/papers.md, DIMMnet-1).
const (
	PageBytes  = 1 << 12 // a kick page: its low 12 bits go into the remote address
	KickPages  = 1 << 16 // 256 sets x 8-bit tags
	MaxUsers   = 64      // users of one NIC
	BlockBytes = 464     // most payload of a BOTF packet; a preset may permit less
)

// Owner identifies a process of a parallel program. The driver sets both parts.
type Owner struct {
	Group   uint16 // process group, the PGID
	Process uint16
}

// Command is what a packet asks its receiver to do.
type Command uint8

// The commands. Any other value interrupts the receiver's core PU.
const (
	CommandStore Command = iota + 1 // AOTF
	CommandBlock                    // BOTF
	CommandPush                     // RDMA
	CommandPull
)

// Known reports whether the receiver's hardware knows the command.
func (c Command) Known() bool { return c >= CommandStore && c <= CommandPull }

// Seed is a header seed: a header without the low bits of its address and without its length.
type Seed struct {
	Owner    Owner
	To       dimmnet.Rank
	Region   uint16
	Physical bool // Addr is an address in the NIC memory, not in a region
	Command  Command
	Addr     uint32 // address of a page: a multiple of PageBytes
}

// Header says where a packet's payload goes, and who sends it.
type Header struct {
	Owner    Owner
	To       dimmnet.Rank
	Region   uint16
	Physical bool
	Command  Command
	Addr     uint32 // in the region, or in the NIC memory
	Length   int    // bytes of payload in this packet
	Rest     int    // bytes of an RDMA transfer that follow in later packets
}

// Complete returns the header of a store of size bytes to offset of the kick page: the 12 bits
// of the offset replace the low bits of the address. The byte enables of one word must be able
// to express the store.
func (s Seed) Complete(offset uint32, size int) (Header, error) {
	if offset >= PageBytes || size < 1 || int(offset)%dimmnet.WordBytes+size > dimmnet.WordBytes {
		return Header{}, fmt.Errorf("martini: store of %d bytes to offset %d of a kick page: want 1 to 8 bytes in one word of the page", size, offset)
	}
	return Header{s.Owner, s.To, s.Region, s.Physical, s.Command, s.Addr&^(PageBytes-1) | offset, size, 0}, nil
}
