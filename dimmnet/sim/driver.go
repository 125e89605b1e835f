package sim

import (
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

// driver is a node's NIC, and what the software of the node knows about it.
type driver struct {
	*network.Node

	// Kick pages of the Port.
	kicks    map[uint64]int // pages by the key of their destination
	keys     []uint64       // keys of kicks in the order of mapping
	remapped int            // pages remapped so far; modulo len(keys), the index of the next one
	lastKick uint64         // key of the kick page used last, plus 1

	blocks    network.Departures // packets in the Port's windows that are still in the NIC
	knownFree int                // windows that the program knows to be free
	windows   []window           // of Users, by number
}

// A Port belongs to this group and process, which has these regions at every node.
const (
	portGroup, portProcess = 1, 1
	regionLLCM, regionBulk = 0, 1
)

func portOwner() martini.Owner { return martini.Owner{Group: portGroup, Process: portProcess} }

// openPort makes the Port a user of the NIC.
func (d *driver) openPort(limits *dimmnet.Limits) {
	o := portOwner()
	if err := errors.Join(d.Chip.Open(o), d.Chip.Register(o, regionLLCM, 0, limits.LLCM),
		d.Chip.Register(o, regionBulk, dimmnet.Offset(limits.LLCM), limits.Bulk)); err != nil {
		panic(err) // impossible: it is the first user
	}
}

// kickPage looks up the kick page of a store's destination, and reports whether its header was
// in the HTLB. dsts is nil except for a multicast.
func (d *driver) kickPage(dst dimmnet.Rank, dsts []dimmnet.Rank, off dimmnet.Offset) (hit bool, err error) {
	key := uint64(off/martini.PageBytes)<<32 | uint64(dst)
	for _, r := range dsts { // every group has its own header
		key = event.Mix(key^uint64(r)) | 1<<63
	}
	if key+1 == d.lastKick {
		return true, nil
	}
	page, ok := d.kicks[key]
	if !ok {
		page, err = d.mapKick(key, martini.Seed{
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
	d.lastKick = key + 1
	_, hit = d.Chip.Seed(page)
	return hit, nil
}

// mapKick maps a kick page for the Port. If all are mapped, the driver remaps the oldest one.
func (d *driver) mapKick(key uint64, seed martini.Seed) (page int, err error) {
	page, err = d.Chip.Map(seed)
	switch {
	case errors.Is(err, martini.ErrPages) && len(d.keys) > 0:
		oldest := &d.keys[d.remapped%len(d.keys)]
		d.remapped++
		page = d.kicks[*oldest]
		delete(d.kicks, *oldest)
		d.Chip.Remap(page, seed)
		*oldest = key
	case err != nil:
		return 0, err
	default:
		d.keys = append(d.keys, key)
	}
	if d.kicks == nil {
		d.kicks = make(map[uint64]int)
	}
	d.kicks[key] = page
	return page, nil
}

// header returns the header of a block or RDMA packet that a Port posts to off.
func (p *port) header(c martini.Command, dst dimmnet.Rank, off dimmnet.Offset, bytes int) martini.Header {
	h := martini.Header{Owner: portOwner(), To: dst, Region: regionLLCM, Command: c, Addr: uint32(off), Length: bytes}
	if llcm := dimmnet.Offset(p.preset.Limits.LLCM); off >= llcm {
		h.Region, h.Addr = regionBulk, uint32(off-llcm)
	}
	return h
}
