package mpi

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	wordBytes    = dimmnet.WordBytes
	minRingBytes = 512
	maxRingBytes = 1 << 20
)

// layout is the layout of the rings in the LLCM, the same at every rank. A rank has a ring and
// two positions for every rank, including itself.
//
//	appended  nodes x 1 word    bytes that each sender has appended to its ring here
//	consumed  nodes x 1 word    bytes that each receiver has consumed of this rank's ring there
//	rings     nodes x ring
//
// Positions count bytes from the start of the run and never wrap. The byte at position x is at x
// mod ring.
type layout struct {
	nodes int
	base  dimmnet.Offset
	ring  int // in bytes, a multiple of 8
}

func newLayout(limits dimmnet.Limits, nodes int, opts Options) (layout, error) {
	l := layout{nodes: nodes, base: opts.LLCM, ring: opts.Ring}
	if limits.Store < wordBytes || limits.Block < 1 {
		return l, fmt.Errorf("mpi: open the rings: the port lacks Stores of %d bytes or Writes: %+v", wordBytes, limits)
	}
	if opts.LLCM%wordBytes != 0 || int64(opts.LLCM) > int64(limits.LLCM) || opts.Ring < 0 {
		return l, fmt.Errorf("mpi: rings of %d bytes from offset %d on: want words within the LLCM of %d bytes", opts.Ring, opts.LLCM, limits.LLCM)
	}
	capacity := (limits.LLCM-int(opts.LLCM))/nodes - 2*wordBytes
	if l.ring == 0 {
		l.ring = min(capacity, maxRingBytes)
	}
	l.ring = l.ring / wordBytes * wordBytes
	if l.ring < minRingBytes || l.ring > capacity {
		return l, fmt.Errorf("mpi: lay out rings of %d bytes for %d nodes: want at least %d bytes and, to fit into the LLCM, at most %d", l.ring, nodes, minRingBytes, capacity)
	}
	return l, nil
}

func (l *layout) appended(src dimmnet.Rank) dimmnet.Offset {
	return l.base + dimmnet.Offset(src)*wordBytes
}

func (l *layout) consumed(dst dimmnet.Rank) dimmnet.Offset {
	return l.base + dimmnet.Offset(l.nodes+int(dst))*wordBytes
}

// locate returns the offset of pos in src's ring, and the bytes from there to the ring's end.
func (l *layout) locate(src dimmnet.Rank, pos uint64) (off dimmnet.Offset, rest int) {
	at := int(pos % uint64(l.ring))
	rings := l.base + dimmnet.Offset(2*l.nodes*wordBytes)
	return rings + dimmnet.Offset(int(src)*l.ring+at), l.ring - at
}

// maxRecord is the size of the longest record. A receiver reports its position only after it has
// consumed lazy bytes; the rest of the ring always holds a record of maxRecord bytes.
func (l *layout) maxRecord() int { return l.ring / 2 / wordBytes * wordBytes }
func (l *layout) lazy() int      { return l.ring / 4 }

func (l *layout) block() int { return l.maxRecord() - ControlBytes }

// recordBytes returns the size in a ring of a packet with n bytes of data.
func recordBytes(n int) int { return (ControlBytes + n + wordBytes - 1) &^ (wordBytes - 1) }

// ringLink is a Link whose rings are in the LLCM. A record is a control packet with its data.
// Writes carry it, and a Store of the sender's position, which lands after them, completes it.
// Another Store returns the receiver's position, once for a quarter of the ring. Link.Write
// sends its data through the ring too, in pieces that the receiver copies to the destination.
type ringLink struct {
	port    dimmnet.Port
	layout  layout
	senders []ringSender
	rings   []ringReceiver
	scratch []byte // assembles the first Write of a record
	exposed map[uint32]*exposure
	last    uint32 // last address assigned
}

type exposure struct {
	src     dimmnet.Rank
	p       []byte
	written int
}

func newRingLink(port dimmnet.Port, opts Options) (*ringLink, error) {
	limits := port.Limits()
	l, err := newLayout(limits, port.Nodes(), opts)
	if err != nil {
		return nil, err
	}
	return &ringLink{
		port:    port,
		layout:  l,
		senders: make([]ringSender, l.nodes),
		rings:   make([]ringReceiver, l.nodes),
		scratch: make([]byte, min(limits.Block, l.maxRecord())),
		exposed: map[uint32]*exposure{},
	}, nil
}

func (l *ringLink) Block() int { return l.layout.block() }

func (l *ringLink) Busy(dst dimmnet.Rank) bool { return l.senders[dst].busy() }

func (l *ringLink) Send(dst dimmnet.Rank, c *Control, data []byte) bool {
	s := &l.senders[dst]
	if s.busy() || !l.hasSpace(dst, recordBytes(len(data))) {
		return false
	}
	s.begin(c, data)
	l.push(dst)
	return true
}

func (l *ringLink) Write(dst dimmnet.Rank, to []Destination, data []byte) bool {
	s := &l.senders[dst]
	if s.busy() {
		return false
	}
	s.to, s.rest, s.done = to, data, 0
	l.push(dst)
	return true
}

func (l *ringLink) Expose(src dimmnet.Rank, p []byte) ([]Destination, error) {
	address := unused(&l.last, l.exposed)
	l.exposed[address] = &exposure{src: src, p: p}
	return []Destination{{Address: uint64(address), Size: len(p)}}, nil
}

func (l *ringLink) Conceal(_ dimmnet.Rank, to []Destination) error {
	for _, d := range to {
		x := l.exposed[uint32(d.Address)]
		if x.written != len(x.p) {
			return fmt.Errorf("%d of %d bytes have been written", x.written, len(x.p))
		}
		delete(l.exposed, uint32(d.Address))
	}
	return nil
}

func (l *ringLink) Poll(src dimmnet.Rank) (Control, bool) {
	r := &l.rings[src]
	return r.control, r.found
}

func (l *ringLink) Consume(src dimmnet.Rank, p []byte) {
	l.read(src, l.rings[src].position+ControlBytes, p)
	l.advance(src)
}

func (l *ringLink) Step() (progress bool, err error) {
	for i := range l.senders {
		if l.push(dimmnet.Rank(i)) {
			progress = true
		}
	}
	for i := range l.rings {
		moved, err := l.poll(dimmnet.Rank(i))
		if err != nil {
			return false, err
		}
		progress = moved || progress
	}
	return progress, nil
}
