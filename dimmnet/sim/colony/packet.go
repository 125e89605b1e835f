package colony

import "fmt"

// Sizes (docs/lab/papers.md, Computer Colony, Packet: 96 bits).
const (
	AddressBits = 18               // bits of a word's address in a node's SSRAM
	NodeWords   = 1 << AddressBits // 1 MB of 32-bit words
	PacketBits  = 96
	parts       = PacketBits / 32
	MaxNodes    = 16 // assumed: 4 header bits name a node
)

// NackWord is the data of an answer that is a Nack; its value is assumed. A word of this value
// cannot be read remotely, because the Reply would be taken for a Nack.
const NackWord = 0xffff_fffe

// Node is the number of a board and of its slice of the address window.
type Node uint8

// Kind is the type field of a packet.
type Kind uint8

// The kinds of packets, with the codes of the thesis. 00 is not used.
const (
	KindWrite  Kind = 0b01
	KindRead   Kind = 0b10
	KindAnswer Kind = 0b11
)

// Packet holds the fields of a packet. Turn counts the requests from From to To; a request that
// is sent again keeps its Turn, and an answer repeats it.
type Packet struct {
	To, From Node
	Turn     uint8 // modulo 16
	Kind     Kind
	Address  uint32 // word in To's memory; an answer repeats that of its request
	Data     uint32
}

// Bits is a packet in the order sent: header (12 bits), type (2) and address (18); data; parity.
type Bits [parts]uint32

const (
	turns       = 16
	toShift     = 28
	fromShift   = 24
	turnShift   = 20
	kindShift   = AddressBits
	typeColumns = 0b11 << kindShift
)

// Encode returns the bits of the packet, with its parity.
func (p Packet) Encode() Bits {
	first := uint32(p.To)<<toShift | uint32(p.From&0xf)<<fromShift | uint32(p.Turn%turns)<<turnShift |
		uint32(p.Kind&3)<<kindShift | p.Address&(NodeWords-1)
	return Bits{first, p.Data, first ^ p.Data}
}

// Decode returns the fields of the packet without checking its parity.
func (b Bits) Decode() Packet {
	return Packet{
		To:      Node(b[0] >> toShift),
		From:    Node(b[0] >> fromShift & 0xf),
		Turn:    uint8(b[0] >> turnShift & 0xf),
		Kind:    Kind(b[0] >> kindShift & 3),
		Address: b[0] & (NodeWords - 1),
		Data:    b[1],
	}
}

// Check returns the parity errors, a bit for each of the 32 columns. A column is one bit of the
// first word, of the data and of the parity. Two errors in a column cancel out.
func (b Bits) Check() uint32 { return b[0] ^ b[1] ^ b[2] }

// Flip returns the packet with one of its 96 bits inverted. Bit 0 is sent first.
func (b Bits) Flip(bit int) Bits {
	b[bit/32] ^= 1 << (31 - bit%32)
	return b
}

// Verdict is what a receiver does with a packet whose header is right.
type Verdict uint8

const (
	Accept Verdict = iota // use the packet
	Refuse                // answer a request that cannot be trusted with a Nack
	Drop                  // ignore the packet
)

// Judge returns the verdict on a packet by its parity. Errors in an answer, or in the columns of
// the type bits, drop the packet; other errors refuse the request.
func (b Bits) Judge() Verdict {
	odd := b.Check()
	kind := Kind(b[0] >> kindShift & 3)
	switch {
	case kind == 0 || odd&typeColumns != 0 || odd != 0 && kind == KindAnswer:
		return Drop
	case odd != 0:
		return Refuse
	}
	return Accept
}

// Addr is an address in the shared memory: a node and a word of its slice.
type Addr uint32

// At returns the address of a word of a node's memory.
func At(node Node, word uint32) Addr { return Addr(node)<<AddressBits | Addr(word%NodeWords) }

// Node returns the node that holds the address.
func (a Addr) Node() Node { return Node(a >> AddressBits) }

// Word returns the index of the word in the node's memory.
func (a Addr) Word() uint32 { return uint32(a) % NodeWords }

// String returns the address as node:word, the word in hexadecimal.
func (a Addr) String() string { return fmt.Sprintf("%d:%05x", a.Node(), a.Word()) }
