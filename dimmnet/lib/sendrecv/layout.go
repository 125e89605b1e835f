package sendrecv

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Sizes in bytes.
const (
	wordBytes   = dimmnet.WordBytes
	halfBytes   = 2 * wordBytes // flag and announcement
	flagBytes   = 2 * halfBytes // one half for messages of even number, one for odd
	bufferBytes = 4096
	maxBuffers  = 256 // a peer has at most 1 MB; a byte is the number of a buffer
)

// layout is the memory layout of a node. It is the same at every node, so a rank can compute the
// offsets at its peers.
//
//	LLCM   done      1 word     the node's NIC reports the end of a PUSH or PULL
//	       flags     peers x flagBytes
//	       landing   peers x landing, in whole words
//	bulk   areas     peers x buffers x bufferBytes
type layout struct {
	peers   int
	landing int // size of a landing area, in bytes
	buffers int // buffers of a receive area
	llcm    dimmnet.Offset
	bulk    dimmnet.Offset
}

// newLayout divides the memory from cfg's offsets on. botf is the largest message by BOTF, or 0.
func newLayout(limits dimmnet.Limits, nodes int, cfg Config, botf int) (layout, error) {
	l := layout{peers: max(nodes-1, 1), landing: botf, llcm: cfg.LLCM, bulk: dimmnet.Offset(limits.LLCM) + cfg.Bulk}
	if cfg.LLCM%wordBytes != 0 || cfg.Bulk%wordBytes != 0 {
		return l, fmt.Errorf("sendrecv: LLCM offset %d and bulk offset %d: want multiples of %d", cfg.LLCM, cfg.Bulk, wordBytes)
	}
	perPeer := (limits.LLCM-int(cfg.LLCM)-wordBytes)/l.peers - flagBytes
	if most := perPeer &^ (wordBytes - 1); l.landing > most && l.landing > limits.Block {
		l.landing = max(most, 0) / limits.Block * limits.Block
	}
	if perPeer < l.stride() || botf > 0 && l.landing == 0 {
		return l, fmt.Errorf("sendrecv: %d nodes do not fit: %d bytes of LLCM from offset %d leave %d for each peer, which needs at least %d",
			nodes, limits.LLCM, cfg.LLCM, perPeer+flagBytes, flagBytes+min(botf, limits.Block))
	}
	l.buffers = min((limits.Bulk-int(cfg.Bulk))/l.peers/bufferBytes, maxBuffers)
	if l.buffers < 1 {
		return l, fmt.Errorf("sendrecv: %d nodes do not fit: %d bytes of bulk memory from offset %d hold no buffer of %d bytes for each peer",
			nodes, limits.Bulk, cfg.Bulk, bufferBytes)
	}
	return l, nil
}

// stride returns the size of a landing area in bytes, rounded up to whole words.
func (l *layout) stride() int { return (l.landing + wordBytes - 1) &^ (wordBytes - 1) }

func (l *layout) areaBytes() int { return l.buffers * bufferBytes }

func index(owner, peer dimmnet.Rank) dimmnet.Offset {
	if peer > owner {
		return dimmnet.Offset(peer) - 1
	}
	return dimmnet.Offset(peer)
}

// done returns the offset of the word that reports the end of the rank's RDMA. One word suffices
// because a rank has at most one RDMA in progress.
func (l *layout) done() dimmnet.Offset { return l.llcm }

// flag returns the offset in owner's LLCM at which peer stores its words about a message.
func (l *layout) flag(owner, peer dimmnet.Rank, number uint8) dimmnet.Offset {
	return l.llcm + wordBytes + index(owner, peer)*flagBytes + dimmnet.Offset(number%2)*halfBytes
}

func (l *layout) rounds(owner, peer dimmnet.Rank, number uint8) dimmnet.Offset {
	return l.flag(owner, peer, number) + wordBytes
}

func (l *layout) land(owner, peer dimmnet.Rank) dimmnet.Offset {
	return l.llcm + wordBytes + dimmnet.Offset(l.peers*flagBytes) + index(owner, peer)*dimmnet.Offset(l.stride())
}

// area returns the offset in owner's bulk memory of the buffers for messages with peer.
func (l *layout) area(owner, peer dimmnet.Rank) dimmnet.Offset {
	return l.bulk + index(owner, peer)*dimmnet.Offset(l.areaBytes())
}

// lastBuffer returns the number of the buffer that holds byte n-1 of an area.
func lastBuffer(n int) uint8 { return uint8((max(n, 1) - 1) / bufferBytes) }

// throughBuffer returns the bytes of an area up to the end of a buffer.
func throughBuffer(buffer uint8) int { return (int(buffer) + 1) * bufferBytes }
