package cluster

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// A message is one packet: a header of 16 bytes, little endian, and a body. Sizes are in bytes.
//
//	0 kind   1 number of files   2 rank (2)   4 call (4)   8 total (4)   12 size of the body (4)
const (
	headerBytes    = 16
	maxPacket      = 64 << 10
	maxBody        = maxPacket - headerBytes
	filesAMessage  = 64
	maxText        = 4 << 10 // maximum size of the error text in a kindFailed message, in bytes
	maxBlob        = 1 << 20
	protocolNumber = 4
)

type kind uint8

const (
	kindHello   kind = iota + 1 // body: a hello in JSON
	kindWelcome                 // all ranks have joined
	kindBlob                    // more bytes of the blob that rank contributes; total is its size
	kindFiles                   // one file each of rank and the ranks after it
	kindFailed                  // the job has failed because of rank; body: the error text
	kindGoodbye                 // the sender has left the job
	kindSuspect                 // rank seems to be gone; asks rank 0 to ping that rank
	kindPing                    // asks for a pong
	kindPong                    // answers a ping
	kindLost                    // kindFailed because of a rank that is gone (dimmnet.IsGone)
	kindAsk                     // rank's question number call to rank total; body: rank's own note
	kindNote                    // rank's note, for question number call of rank total
	kinds
)

// String returns the name of the collective call that sends messages of this kind.
func (k kind) String() string {
	switch k {
	case kindBlob:
		return "Gather"
	case kindFiles:
		return "Swap"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

type message struct {
	kind  kind
	rank  dimmnet.Rank
	call  uint32 // number of the sender's collective call, from 1
	total uint32
	body  []byte
	files []*os.File
}

func (m *message) encode() []byte {
	if len(m.body) > maxBody || len(m.files) > filesAMessage {
		panic(fmt.Sprintf("cluster: encoding a message: %d bytes or %d files are too many", len(m.body), len(m.files)))
	}
	b := make([]byte, headerBytes, headerBytes+len(m.body))
	b[0], b[1] = byte(m.kind), byte(len(m.files))
	binary.LittleEndian.PutUint16(b[2:], uint16(m.rank))
	binary.LittleEndian.PutUint32(b[4:], m.call)
	binary.LittleEndian.PutUint32(b[8:], m.total)
	binary.LittleEndian.PutUint32(b[12:], uint32(len(m.body)))
	return append(b, m.body...)
}

// decode also returns the number of files that came with packet. m.body aliases packet.
func decode(packet []byte) (m message, files int, err error) {
	if len(packet) < headerBytes || len(packet) > maxPacket {
		return message{}, 0, fmt.Errorf("cluster: decoding a message: a packet of %d bytes: want %d to %d", len(packet), headerBytes, maxPacket)
	}
	m = message{
		kind:  kind(packet[0]),
		rank:  dimmnet.Rank(binary.LittleEndian.Uint16(packet[2:])),
		call:  binary.LittleEndian.Uint32(packet[4:]),
		total: binary.LittleEndian.Uint32(packet[8:]),
		body:  packet[headerBytes:],
	}
	files = int(packet[1])
	size := binary.LittleEndian.Uint32(packet[12:])
	switch {
	case m.kind == 0 || m.kind >= kinds:
		return message{}, 0, fmt.Errorf("cluster: decoding a message: unknown %v", m.kind)
	case uint64(size) != uint64(len(m.body)):
		return message{}, 0, fmt.Errorf("cluster: decoding a message: a header for a body of %d bytes, but the packet holds %d", size, len(m.body))
	case files > filesAMessage:
		return message{}, 0, fmt.Errorf("cluster: decoding a message: %d files: want at most %d", files, filesAMessage)
	case (m.kind == kindFiles) != (files > 0):
		return message{}, 0, fmt.Errorf("cluster: decoding a message of %v: it has %d files: want none", m.kind, files)
	case m.total > maxBlob:
		return message{}, 0, fmt.Errorf("cluster: decoding a message: a blob of %d bytes: want at most %d", m.total, maxBlob)
	}
	return m, files, nil
}

// closeAll closes received files that nobody uses.
func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // the file was never used
		}
	}
}
