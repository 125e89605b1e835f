package martini

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Sizes of spec/10.
const (
	SeedBytes  = 32      // a header seed: 4 words of the seed store
	PageBytes  = 1 << 12 // a kick page: its low 12 bits go into the remote address
	KickPages  = 1 << 16 // 256 sets x 8-bit tags
	MaxUsers   = 64      // of one NIC
	BlockBytes = 464     // payload of a BOTF packet
)

// Owner names a process of a parallel program. Both parts are the driver's.
type Owner struct {
	Group   uint16 // process group, the PGID
	Process uint16
}

// Command is what a packet asks of its receiver.
type Command uint8

// The commands. Any other interrupts the receiver's core PU.
const (
	CommandStore Command = iota + 1 // AOTF
	CommandBlock                    // BOTF
	CommandPush                     // RDMA
	CommandPull
)

// Known says whether the receiver's hardware knows the command.
func (c Command) Known() bool { return c >= CommandStore && c <= CommandPull }

// Seed is a header seed: a header but for the low bits of its address and its
// length.
type Seed struct {
	Owner    Owner
	To       dimmnet.Rank
	Region   uint16
	Physical bool // Addr is a place in the NIC memory, not in a region
	Command  Command
	Addr     uint32 // of a page: a multiple of PageBytes
}

// Header says where a packet's payload is to go, and by what right.
type Header struct {
	Owner    Owner
	To       dimmnet.Rank
	Region   uint16
	Physical bool
	Command  Command
	Addr     uint32 // in the region, or in the NIC memory
	Length   int    // bytes of this packet
	Rest     int    // bytes of an RDMA transfer behind them
}

// Encode is the seed as it lies in the seed store: four 64-bit words, little
// endian; the last two are the completed address and length, zero in a seed.
func (s Seed) Encode() (b [SeedBytes]byte) {
	binary.LittleEndian.PutUint16(b[0:], s.Owner.Group)
	binary.LittleEndian.PutUint16(b[2:], s.Owner.Process)
	binary.LittleEndian.PutUint16(b[4:], uint16(s.To))
	binary.LittleEndian.PutUint16(b[6:], s.Region)
	b[8] = byte(s.Command)
	if s.Physical {
		b[9] = 1
	}
	binary.LittleEndian.PutUint32(b[16:], s.Addr)
	return b
}

// DecodeSeed reads what Encode wrote.
func DecodeSeed(b [SeedBytes]byte) (Seed, error) {
	s := Seed{
		Owner:    Owner{binary.LittleEndian.Uint16(b[0:]), binary.LittleEndian.Uint16(b[2:])},
		To:       dimmnet.Rank(binary.LittleEndian.Uint16(b[4:])),
		Region:   binary.LittleEndian.Uint16(b[6:]),
		Command:  Command(b[8]),
		Physical: b[9] == 1,
		Addr:     binary.LittleEndian.Uint32(b[16:]),
	}
	if s.Encode() != b {
		return Seed{}, fmt.Errorf("martini: header seed %x has bits that mean nothing", b)
	}
	return s, nil
}

// Complete makes a header of a store of size bytes to offset of the kick page:
// the offset's 12 bits replace the low bits of the address. A store that the
// byte enables of one word cannot express is an error.
func (s Seed) Complete(offset uint32, size int) (Header, error) {
	if offset >= PageBytes || size < 1 || int(offset)%dimmnet.WordBytes+size > dimmnet.WordBytes {
		return Header{}, fmt.Errorf("martini: store of %d bytes to offset %d of a kick page", size, offset)
	}
	return Header{
		Owner:    s.Owner,
		To:       s.To,
		Region:   s.Region,
		Physical: s.Physical,
		Command:  s.Command,
		Addr:     s.Addr&^(PageBytes-1) | offset,
		Length:   size,
	}, nil
}
