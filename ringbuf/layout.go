package ringbuf

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Sizes in bytes.
const (
	HeaderBytes  = 16
	MaxSlotBytes = 4096 // data of a slot: a page
	MinSlotBytes = 64
	minSlots     = 2  // so that a slot is filled while another is emptied
	maxSlots     = 64 // more than a sender gets ahead
	flagBytes    = 1
)

// Layout says where the four areas of every pair lie. It is the same at every
// node, so a sender computes the places in the receiver's LLCM.
//
//	0         headers   Peers x Slots x 16
//	          data      Peers x Slots x SlotBytes
//	          sent      Peers x flagRow     send-complete flags
//	          received  Peers x flagRow     receive-complete flags
type Layout struct {
	Peers     int // of a node: the other nodes, or its neighbours in a tree
	Slots     int // of each ordered pair
	SlotBytes int // data of a slot
	flagRow   int // bytes of one peer's flags, whole words
	tree      Tree
}

// NewLayout divides a port's LLCM between all pairs of a run of nodes.
func NewLayout(limits dimmnet.Limits, nodes int) (Layout, error) {
	l := Layout{Peers: max(nodes-1, 1)}
	if !l.divide(limits) {
		return Layout{}, fmt.Errorf("ringbuf: %d nodes do not fit: %d bytes of LLCM hold the slots of at most %d",
			nodes, limits.LLCM, limits.LLCM/peerBytes(minSlots, MinSlotBytes)+1)
	}
	return l, nil
}

// NewTreeLayout divides a port's LLCM between the neighbours in a tree. It takes
// as much whatever the number of nodes.
func NewTreeLayout(limits dimmnet.Limits, tree Tree) (Layout, error) {
	l := Layout{Peers: tree.Arity + 1, tree: tree}
	if !l.divide(limits) {
		return Layout{}, fmt.Errorf("ringbuf: %d bytes of LLCM do not hold the slots of %d neighbours, which take %d",
			limits.LLCM, l.Peers, l.Peers*peerBytes(minSlots, MinSlotBytes))
	}
	return l, nil
}

// divide gives every peer slots of the largest size that fits, or says that
// none does.
func (l *Layout) divide(limits dimmnet.Limits) bool {
	perPeer := limits.LLCM / l.Peers
	for l.SlotBytes = MaxSlotBytes; l.SlotBytes > 0; l.SlotBytes = smaller(l.SlotBytes, limits.Block) {
		if l.Slots = slotsIn(perPeer, l.SlotBytes); l.Slots >= minSlots {
			l.flagRow = flagRow(l.Slots)
			return true
		}
	}
	return false
}

// smaller is the next slot size to try, 0 after the smallest: a block less while
// there are whole blocks, so that no BOTF goes out half empty, then halves.
func smaller(slotBytes, block int) int {
	switch {
	case slotBytes <= MinSlotBytes:
		return 0
	case slotBytes > block && block >= MinSlotBytes:
		return (slotBytes - 1) / block * block
	}
	return max(MinSlotBytes, slotBytes/2&^(dimmnet.WordBytes-1))
}

// slotsIn is how many slots of a size fit in n bytes, at most maxSlots.
func slotsIn(n, slotBytes int) int {
	for slots := maxSlots; slots > 0; slots-- {
		if peerBytes(slots, slotBytes) <= n {
			return slots
		}
	}
	return 0
}

func peerBytes(slots, slotBytes int) int {
	return slots*(HeaderBytes+slotBytes) + 2*flagRow(slots)
}

func flagRow(slots int) int {
	return (slots*flagBytes + dimmnet.WordBytes - 1) &^ (dimmnet.WordBytes - 1)
}

// index is the place of peer among the peers of own.
func (l *Layout) index(own, peer dimmnet.Rank) int {
	if l.tree.Arity > 0 {
		return l.tree.index(own, peer)
	}
	if peer > own {
		return int(peer) - 1
	}
	return int(peer)
}

// header is where, in owner's LLCM, the header of a slot of peer lands.
func (l *Layout) header(owner, peer dimmnet.Rank, slot int) dimmnet.Offset {
	return dimmnet.Offset((l.index(owner, peer)*l.Slots + slot) * HeaderBytes)
}

// data is where, in owner's LLCM, the data of a slot of peer land.
func (l *Layout) data(owner, peer dimmnet.Rank, slot int) dimmnet.Offset {
	return dimmnet.Offset(l.Peers*l.Slots*HeaderBytes + (l.index(owner, peer)*l.Slots+slot)*l.SlotBytes)
}

// sent is where, in owner's LLCM, peer says that it has sent a slot.
func (l *Layout) sent(owner, peer dimmnet.Rank, slot int) dimmnet.Offset {
	return dimmnet.Offset(l.Peers*l.Slots*(HeaderBytes+l.SlotBytes) + l.index(owner, peer)*l.flagRow + slot*flagBytes)
}

// received is where, in owner's LLCM, peer says that it has received a slot.
func (l *Layout) received(owner, peer dimmnet.Rank, slot int) dimmnet.Offset {
	return dimmnet.Offset(l.Peers*l.flagRow) + l.sent(owner, peer, slot)
}

// Bytes is the size of all four areas.
func (l *Layout) Bytes() int {
	return l.Peers * (l.Slots*(HeaderBytes+l.SlotBytes) + 2*l.flagRow)
}
