package network

import (
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// nic is the timed state of a node's DIMMnet-1. Package martini holds its decisions (chip).
type nic struct {
	chip    martini.NIC
	host    Memory // the side of the bulk memory that faces the host
	network Memory // the side that faces the network

	// Sending.
	link      link         // from this NIC
	posted    dimmnet.Time // time when the last packet leaves that the host has posted
	fifo      Departures   // AOTF packets that are still in the NIC
	windows   Departures   // BOTF packets that are still in the NIC
	knownFree int          // windows that the program knows to be free
	freeAt    dimmnet.Time // time of the pending free event, or 0
	engine    engine       // of Push and Pull

	// Receiving and exceptions.
	receiveFree dimmnet.Time // time from which the receiver is free
	coreFree    dimmnet.Time // time when the core PU has served all interrupts

	// Kick pages of the Port.
	kicks    map[uint64]int // pages by the key of their destination
	keys     []uint64       // keys of kicks in the order of mapping
	remapped int            // pages remapped so far; modulo len(keys), the index of the next one
	lastKick uint64         // key of the kick page used last, plus 1
}

// A Port belongs to this group and process, which has these regions at every node.
const (
	portGroup, portProcess = 1, 1
	regionLLCM, regionBulk = 0, 1
)

func portOwner() martini.Owner { return martini.Owner{Group: portGroup, Process: portProcess} }

// Departures holds the times at which packets leave a bounded send buffer, the earliest first.
type Departures struct {
	times []dimmnet.Time
	head  int
}

func (d *Departures) waiting(t dimmnet.Time) int {
	for d.head < len(d.times) && d.times[d.head] <= t {
		d.head++
	}
	if d.head == len(d.times) {
		d.times, d.head = d.times[:0], 0
	} else if d.head > 64 && d.head > len(d.times)/2 {
		d.times = d.times[:copy(d.times, d.times[d.head:])]
		d.head = 0
	}
	return len(d.times) - d.head
}

func (d *Departures) first() dimmnet.Time { return d.times[d.head] }

func (d *Departures) add(t dimmnet.Time) { d.times = append(d.times, t) }

// interrupt lets the core PU serve an interrupt at t, after earlier ones; it returns the end.
func (n *nic) interrupt(t, service dimmnet.Time) dimmnet.Time {
	n.coreFree = max(n.coreFree, t) + service
	return n.coreFree
}

// KickPage looks up the kick page of a store's destination, and reports whether its header was
// in the HTLB. dsts is nil except for a multicast.
func (n *nic) KickPage(dst dimmnet.Rank, dsts []dimmnet.Rank, off dimmnet.Offset) (hit bool, err error) {
	key := uint64(off/martini.PageBytes)<<32 | uint64(dst)
	for _, r := range dsts { // every group has its own header
		key = event.Mix(key^uint64(r)) | 1<<63
	}
	if key+1 == n.lastKick {
		return true, nil
	}
	page, ok := n.kicks[key]
	if !ok {
		page, err = n.mapKick(key, martini.Seed{
			Owner:    portOwner(),
			To:       dst,
			Physical: true,
			Command:  martini.CommandStore,
			Addr:     uint32(off) &^ (martini.PageBytes - 1),
		})
		if err != nil {
			return false, err
		}
	}
	n.lastKick = key + 1
	_, hit = n.chip.Seed(page)
	return hit, nil
}

// mapKick maps a kick page for the Port. If all are mapped, the driver remaps the oldest one.
func (n *nic) mapKick(key uint64, seed martini.Seed) (page int, err error) {
	page, err = n.chip.Map(seed)
	switch {
	case errors.Is(err, martini.ErrPages) && len(n.keys) > 0:
		oldest := &n.keys[n.remapped%len(n.keys)]
		n.remapped++
		page = n.kicks[*oldest]
		delete(n.kicks, *oldest)
		n.chip.Remap(page, seed)
		*oldest = key
	case err != nil:
		return 0, err
	default:
		n.keys = append(n.keys, key)
	}
	if n.kicks == nil {
		n.kicks = make(map[uint64]int)
	}
	n.kicks[key] = page
	return page, nil
}

func (n *nic) openPort(limits *dimmnet.Limits) {
	o := portOwner()
	err := n.chip.Open(o)
	if err == nil {
		err = n.chip.Register(o, regionLLCM, 0, limits.LLCM)
	}
	if err == nil {
		err = n.chip.Register(o, regionBulk, dimmnet.Offset(limits.LLCM), limits.Bulk)
	}
	if err != nil {
		panic(err) // impossible: it is the first user
	}
}
