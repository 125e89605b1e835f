package sendrecv

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Sizes in bytes.
const (
	wordBytes   = dimmnet.WordBytes
	halfBytes   = 2 * wordBytes // the flag and the announcement
	flagBytes   = 2 * halfBytes // messages of even and of odd number
	bufferBytes = 4096
	maxBuffers  = 256 // of a peer: 1 MB, and what a byte can name
)

// layout says where the areas of a node lie. It is the same at every node, so a
// rank computes the places at its peers.
//
//	LLCM   done      1 word     where the own NIC says that a PUSH or PULL is done
//	       flags     peers x flagBytes
//	       landing   peers x landing, in whole words
//	bulk   areas     peers x buffers x bufferBytes
type layout struct {
	peers   int
	landing int // bytes that BOTF can bring at once
	buffers int // of a peer
	llcm    dimmnet.Offset
	bulk    dimmnet.Offset
}

// newLayout divides what lies behind cfg's bases between the peers. botf is the
// largest message by BOTF, 0 for none.
func newLayout(limits dimmnet.Limits, nodes int, cfg Config, botf int) (layout, error) {
	l := layout{
		peers:   max(nodes-1, 1),
		landing: botf,
		llcm:    cfg.LLCM,
		bulk:    dimmnet.Offset(limits.LLCM) + cfg.Bulk,
	}
	if cfg.LLCM%wordBytes != 0 || cfg.Bulk%wordBytes != 0 {
		return l, fmt.Errorf("sendrecv: bases %d and %d: not multiples of %d", cfg.LLCM, cfg.Bulk, wordBytes)
	}
	perPeer := (limits.LLCM-int(cfg.LLCM)-wordBytes)/l.peers - flagBytes
	if room := perPeer &^ (wordBytes - 1); l.landing > room && l.landing > limits.Block {
		l.landing = max(room, 0) / limits.Block * limits.Block
	}
	if perPeer < l.stride() || botf > 0 && l.landing == 0 {
		return l, fmt.Errorf("sendrecv: %d nodes do not fit: %d bytes of LLCM from %d on leave %d for each peer, a block takes %d",
			nodes, limits.LLCM, cfg.LLCM, perPeer+flagBytes, flagBytes+min(botf, limits.Block))
	}
	l.buffers = min((limits.Bulk-int(cfg.Bulk))/l.peers/bufferBytes, maxBuffers)
	if l.buffers < 1 {
		return l, fmt.Errorf("sendrecv: %d nodes do not fit: %d bytes of bulk memory from %d on hold no buffer of %d for each peer",
			nodes, limits.Bulk, cfg.Bulk, bufferBytes)
	}
	return l, nil
}

// stride is the size of a landing area in whole words.
func (l *layout) stride() int { return (l.landing + wordBytes - 1) &^ (wordBytes - 1) }

// areaBytes is the size of a receive area.
func (l *layout) areaBytes() int { return l.buffers * bufferBytes }

// index is the place of peer among the peers of owner.
func index(owner, peer dimmnet.Rank) dimmnet.Offset {
	if peer > owner {
		return dimmnet.Offset(peer) - 1
	}
	return dimmnet.Offset(peer)
}

// done is the word for the own RDMA. One is enough: a rank has one under way.
func (l *layout) done() dimmnet.Offset { return l.llcm }

// flag is where, in owner's LLCM, peer stores what it has to say about a message.
func (l *layout) flag(owner, peer dimmnet.Rank, number uint8) dimmnet.Offset {
	return l.llcm + wordBytes + index(owner, peer)*flagBytes + dimmnet.Offset(number%2)*halfBytes
}

// rounds is where peer announces how many rounds a message takes.
func (l *layout) rounds(owner, peer dimmnet.Rank, number uint8) dimmnet.Offset {
	return l.flag(owner, peer, number) + wordBytes
}

// land is where, in owner's LLCM, the BOTFs of peer land.
func (l *layout) land(owner, peer dimmnet.Rank) dimmnet.Offset {
	return l.llcm + wordBytes + dimmnet.Offset(l.peers*flagBytes) + index(owner, peer)*dimmnet.Offset(l.stride())
}

// area is where, in owner's bulk memory, the buffers for the messages from and
// to peer lie.
func (l *layout) area(owner, peer dimmnet.Rank) dimmnet.Offset {
	return l.bulk + index(owner, peer)*dimmnet.Offset(l.areaBytes())
}

// lastBuffer names the buffer in which byte n-1 of an area lies.
func lastBuffer(n int) uint8 { return uint8((max(n, 1) - 1) / bufferBytes) }

// throughBuffer is how many bytes an area holds up to the end of a buffer.
func throughBuffer(buffer uint8) int { return (int(buffer) + 1) * bufferBytes }
