package cluster

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// A message is one packet: a header of 16 bytes, little endian, and a body.
//
//	0 kind   1 files beside it   2 rank (2)   4 call (4)   8 total (4)   12 bytes of body (4)
const (
	headerBytes    = 16
	maxPacket      = 64 << 10
	maxBody        = maxPacket - headerBytes
	filesAMessage  = 64
	maxText        = 4 << 10 // of a failure in words
	maxBlob        = 1 << 20
	protocolNumber = 2
)

// kind says what a message is.
type kind uint8

const (
	kindHello   kind = iota + 1 // body: a hello in JSON
	kindWelcome                 // all ranks have come
	kindBlob                    // the next bytes of rank's blob, which has total bytes
	kindFiles                   // the files of rank and those after it
	kindFailed                  // body: why the job has failed, because of rank
	kindGoodbye                 // the sender has left the job
	kindSuspect                 // rank seems to be gone: rank 0 is to ask it
	kindAsk                     // say that you are alive
	kindAlive                   // the answer to that
	kinds
)

// String is the name of the call whose shares messages of this kind bring.
func (k kind) String() string {
	switch k {
	case kindBlob:
		return "Gather"
	case kindFiles:
		return "Swap"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// message is one packet.
type message struct {
	kind  kind
	rank  dimmnet.Rank
	call  uint32 // the sender's collective calls are numbered from 1
	total uint32
	body  []byte
	files []*os.File
}

// encode is the packet of m, without its files.
func (m *message) encode() []byte {
	if len(m.body) > maxBody || len(m.files) > filesAMessage {
		panic(fmt.Sprintf("cluster: a message of %d bytes with %d files", len(m.body), len(m.files)))
	}
	b := make([]byte, headerBytes, headerBytes+len(m.body))
	b[0], b[1] = byte(m.kind), byte(len(m.files))
	binary.LittleEndian.PutUint16(b[2:], uint16(m.rank))
	binary.LittleEndian.PutUint32(b[4:], m.call)
	binary.LittleEndian.PutUint32(b[8:], m.total)
	binary.LittleEndian.PutUint32(b[12:], uint32(len(m.body)))
	return append(b, m.body...)
}

// decode reads a packet, and how many files come with it. The body is part of packet.
func decode(packet []byte) (m message, files int, err error) {
	if len(packet) < headerBytes || len(packet) > maxPacket {
		return message{}, 0, fmt.Errorf("cluster: a packet of %d bytes", len(packet))
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
		return message{}, 0, fmt.Errorf("cluster: a message of %v", m.kind)
	case uint64(size) != uint64(len(m.body)):
		return message{}, 0, fmt.Errorf("cluster: a body of %d bytes in a packet that has %d", size, len(m.body))
	case files > filesAMessage:
		return message{}, 0, fmt.Errorf("cluster: a message with %d files: %d are the most", files, filesAMessage)
	case (m.kind == kindFiles) != (files > 0):
		return message{}, 0, fmt.Errorf("cluster: a message of %v with %d files", m.kind, files)
	case m.total > maxBlob:
		return message{}, 0, fmt.Errorf("cluster: a blob of %d bytes: %d are the most", m.total, maxBlob)
	}
	return m, files, nil
}

// closeAll closes files that nobody wants.
func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // they were never used
		}
	}
}
