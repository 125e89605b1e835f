package colony

import "fmt"

// Sizes of spec/50.
const (
	AddressBits = 18               // of a word in a node's SSRAM
	NodeWords   = 1 << AddressBits // 1 MB of 32-bit words
	PacketBits  = 96
	parts       = PacketBits / 32
	MaxNodes    = 16 // assumed: 4 bits of the header name a node
)

// NackWord is the data of an answer that means Nack. Its value is assumed. Memory
// cannot hold it where others read: a Reply with it would be a Nack.
const NackWord = 0xffff_fffe

// Node is a board's number, and that of its slice of the address window.
type Node uint8

// Kind is the type field of a packet.
type Kind uint8

// The kinds of packets, as spec/50 codes them. 00 is none.
const (
	KindWrite  Kind = 0b01
	KindRead   Kind = 0b10
	KindAnswer Kind = 0b11
)

// Packet is what 96 bits say. Turn is the requester's count of its requests to one
// node, which a resent request keeps and an answer repeats.
type Packet struct {
	To, From Node
	Turn     uint8 // modulo 16
	Kind     Kind
	Address  uint32 // of a word in To's memory; in an answer, that of its request
	Data     uint32
}

// Bits are the three words of a packet in the order sent: header 12, type 2 and
// address 18; data; parity.
type Bits [parts]uint32

const (
	turns       = 16
	toShift     = 28
	fromShift   = 24
	turnShift   = 20
	kindShift   = AddressBits
	typeColumns = 0b11 << kindShift
)

// Encode lays a packet out, and appends its parity.
func (p Packet) Encode() Bits {
	first := uint32(p.To)<<toShift | uint32(p.From&0xf)<<fromShift | uint32(p.Turn%turns)<<turnShift |
		uint32(p.Kind&3)<<kindShift | p.Address&(NodeWords-1)
	return Bits{first, p.Data, first ^ p.Data}
}

// Decode reads a packet, whatever its parity.
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

// Check has a bit for each of the 32 columns (a bit of the first word, one of the
// data and one of the parity) whose parity is odd. A second error in a column hides
// the first.
func (b Bits) Check() uint32 { return b[0] ^ b[1] ^ b[2] }

// Flip changes one of the 96 bits; 0 is the first that is sent.
func (b Bits) Flip(bit int) Bits {
	b[bit/32] ^= 1 << (31 - bit%32)
	return b
}

// Verdict is what a receiver does with a packet after the header is found right.
type Verdict uint8

// The verdicts. A request that cannot be trusted is answered by Nack.
const (
	Accept Verdict = iota
	Refuse         // answer Nack
	Drop
)

// Judge says what parity makes of a packet: an answer with an error, and anything
// with one in the columns of the type bits, is dropped; a request is refused.
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

// Addr is a place in the shared memory: the slice of a node and a word in it.
type Addr uint32

// At is word number word of a node's memory.
func At(node Node, word uint32) Addr { return Addr(node)<<AddressBits | Addr(word%NodeWords) }

// Node is whose memory it is.
func (a Addr) Node() Node { return Node(a >> AddressBits) }

// Word is the word in that memory.
func (a Addr) Word() uint32 { return uint32(a) % NodeWords }

// String is node:word.
func (a Addr) String() string { return fmt.Sprintf("%d:%05x", a.Node(), a.Word()) }
