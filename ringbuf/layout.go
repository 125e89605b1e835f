package ringbuf

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Sizes in bytes.
const (
	HeaderBytes  = 16
	MaxSlotBytes = 4096 // the data of a slot are at most a page
	MinSlotBytes = 64
	minSlots     = 2  // the sender fills one slot while the receiver empties the other
	maxSlots     = 64 // in practice no sender is further ahead
	flagBytes    = 1
)

// Layout describes where the four areas of every pair of ranks lie. It is the same at every node,
// so a sender can compute offsets in the receiver's LLCM. The areas follow one another:
//
//	0         headers   Peers x Slots x 16
//	          data      Peers x Slots x SlotBytes
//	          sent      Peers x flagRow     send-complete flags
//	          received  Peers x flagRow     receive-complete flags
type Layout struct {
	Peers     int // rings into each node: from all other nodes, or from its tree neighbours
	Slots     int // per ordered pair
	SlotBytes int // data bytes per slot
	flagRow   int // bytes of one peer's flags, rounded up to words
	tree      Tree
}

// NewLayout divides a port's LLCM between all pairs of nodes.
func NewLayout(limits dimmnet.Limits, nodes int) (Layout, error) {
	l := Layout{Peers: max(nodes-1, 1)}
	if !l.divide(limits) {
		return Layout{}, fmt.Errorf("ringbuf: %d nodes do not fit: %d bytes of LLCM hold the slots of at most %d",
			nodes, limits.LLCM, limits.LLCM/peerBytes(minSlots, MinSlotBytes)+1)
	}
	return l, nil
}

// NewTreeLayout divides a port's LLCM between the neighbours in a tree. The result does not depend
// on the number of nodes.
func NewTreeLayout(limits dimmnet.Limits, tree Tree) (Layout, error) {
	l := Layout{Peers: tree.Arity + 1, tree: tree}
	if !l.divide(limits) {
		return Layout{}, fmt.Errorf("ringbuf: %d bytes of LLCM do not hold the slots of %d neighbours, which take %d",
			limits.LLCM, l.Peers, l.Peers*peerBytes(minSlots, MinSlotBytes))
	}
	return l, nil
}

// divide chooses the largest slot size that leaves minSlots slots per peer; false: none does.
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

// smaller returns the next slot size to try, or 0 after the smallest size. Sizes above a block are
// whole blocks, so that every BOTF of a full slot is full; below, each size is half the last.
func smaller(slotBytes, block int) int {
	switch {
	case slotBytes <= MinSlotBytes:
		return 0
	case slotBytes > block && block >= MinSlotBytes:
		return (slotBytes - 1) / block * block
	}
	return max(MinSlotBytes, slotBytes/2&^(dimmnet.WordBytes-1))
}

func slotsIn(n, slotBytes int) int {
	for slots := maxSlots; slots > 0; slots-- {
		if peerBytes(slots, slotBytes) <= n {
			return slots
		}
	}
	return 0
}

func peerBytes(slots, slotBytes int) int { return slots*(HeaderBytes+slotBytes) + 2*flagRow(slots) }
func flagRow(slots int) int {
	return (slots*flagBytes + dimmnet.WordBytes - 1) &^ (dimmnet.WordBytes - 1)
}

func (l *Layout) index(own, peer dimmnet.Rank) int {
	if l.tree.Arity > 0 {
		return l.tree.Index(own, peer)
	}
	if peer > own {
		return int(peer) - 1
	}
	return int(peer)
}

// header returns the offset, in owner's LLCM, of the header of a slot that peer sends.
func (l *Layout) header(owner, peer dimmnet.Rank, slot int) dimmnet.Offset {
	return dimmnet.Offset((l.index(owner, peer)*l.Slots + slot) * HeaderBytes)
}

// data returns the offset, in owner's LLCM, of the data of a slot that peer sends.
func (l *Layout) data(owner, peer dimmnet.Rank, slot int) dimmnet.Offset {
	return dimmnet.Offset(l.Peers*l.Slots*HeaderBytes + (l.index(owner, peer)*l.Slots+slot)*l.SlotBytes)
}

// sent returns the offset, in owner's LLCM, of the flag that peer sets when it has sent a slot.
func (l *Layout) sent(owner, peer dimmnet.Rank, slot int) dimmnet.Offset {
	return dimmnet.Offset(l.Peers*l.Slots*(HeaderBytes+l.SlotBytes) + l.index(owner, peer)*l.flagRow + slot*flagBytes)
}

// received returns the offset, in owner's LLCM, of the flag that peer sets on emptying a slot.
func (l *Layout) received(owner, peer dimmnet.Rank, slot int) dimmnet.Offset {
	return dimmnet.Offset(l.Peers*l.flagRow) + l.sent(owner, peer, slot)
}

// Bytes returns the size of all four areas.
func (l *Layout) Bytes() int { return l.Peers * (l.Slots*(HeaderBytes+l.SlotBytes) + 2*l.flagRow) }
