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

// layout says where the rings and their positions lie in the LLCM of every rank: one of each for
// every rank that sends to it, itself too.
//
//	appended  nodes x 1 word    how many bytes the sender has put into its ring here
//	taken     nodes x 1 word    how many bytes a receiver has taken from this rank's ring there
//	rings     nodes x ring
//
// Positions count from the start of the run and never wrap; a byte at position x lies at
// x mod ring.
type layout struct {
	nodes int
	base  dimmnet.Offset
	ring  int // bytes, a multiple of 8
}

func newLayout(limits dimmnet.Limits, nodes int, opts Options) (layout, error) {
	l := layout{nodes: nodes, base: opts.LLCM, ring: opts.Ring}
	if limits.Store < wordBytes || limits.Block < 1 {
		return l, fmt.Errorf("mpi: the port lacks Stores of %d bytes, or Writes: %+v", wordBytes, limits)
	}
	if opts.LLCM%wordBytes != 0 || int64(opts.LLCM) > int64(limits.LLCM) || opts.Ring < 0 {
		return l, fmt.Errorf("mpi: areas at %d, rings of %d bytes: not in words of an LLCM of %d", opts.LLCM, opts.Ring, limits.LLCM)
	}
	room := (limits.LLCM-int(opts.LLCM))/nodes - 2*wordBytes
	if l.ring == 0 {
		l.ring = min(room, maxRingBytes)
	}
	l.ring = l.ring / wordBytes * wordBytes
	if l.ring < minRingBytes || l.ring > room {
		return l, fmt.Errorf("mpi: %d nodes do not fit: rings of %d bytes, each has room for %d and needs %d", nodes, l.ring, room, minRingBytes)
	}
	return l, nil
}

// appended is where, at a receiver, src stores its position.
func (l *layout) appended(src dimmnet.Rank) dimmnet.Offset {
	return l.base + dimmnet.Offset(src)*wordBytes
}

// taken is where, at a sender, dst stores its position.
func (l *layout) taken(dst dimmnet.Rank) dimmnet.Offset {
	return l.base + dimmnet.Offset(l.nodes+int(dst))*wordBytes
}

// place is where position pos of src's ring lies, and how many bytes follow until the ring's end.
func (l *layout) place(src dimmnet.Rank, pos uint64) (off dimmnet.Offset, room int) {
	at := int(pos % uint64(l.ring))
	rings := l.base + dimmnet.Offset(2*l.nodes*wordBytes)
	return rings + dimmnet.Offset(int(src)*l.ring+at), l.ring - at
}

// maxRecord is the longest record. A receiver keeps back less than lazy bytes that it has
// taken, so a ring that it has emptied always has room for one.
func (l *layout) maxRecord() int { return l.ring / 2 / wordBytes * wordBytes }
func (l *layout) lazy() int      { return l.ring / 4 }

// block is the most data of a record.
func (l *layout) block() int { return l.maxRecord() - ControlBytes }

// recordBytes is what a packet with n bytes of data takes in a ring.
func recordBytes(n int) int { return (ControlBytes + n + wordBytes - 1) &^ (wordBytes - 1) }

// ringLink is a Link whose rings are in the LLCM. A record is a control packet and its data,
// brought by Writes; a Store of the sender's position proves that they have landed. Another
// Store brings the receiver's position back, a quarter of the ring at a time. What is to be
// written goes through the ring as well, in pieces, and the receiver moves it to its place.
type ringLink struct {
	port    dimmnet.Port
	layout  layout
	senders []ringSender
	rings   []ringReceiver
	scratch []byte // for the first Write of a record
	exposed map[uint32]*exposure
	last    uint32 // address given out
}

// exposure is a place that src may write to.
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
	if s.busy() || !l.room(dst, recordBytes(len(data))) {
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
	l.last++
	if l.exposed[l.last] != nil {
		return nil, fmt.Errorf("%d places are exposed", len(l.exposed))
	}
	l.exposed[l.last] = &exposure{src: src, p: p}
	return []Destination{{Address: uint64(l.last), Size: len(p)}}, nil
}

func (l *ringLink) Conceal(_ dimmnet.Rank, to []Destination) error {
	for _, d := range to {
		x := l.exposed[uint32(d.Address)]
		if x.written != len(x.p) {
			return fmt.Errorf("%d bytes are written of %d", x.written, len(x.p))
		}
		delete(l.exposed, uint32(d.Address))
	}
	return nil
}

func (l *ringLink) Poll(src dimmnet.Rank) (Control, bool) {
	r := &l.rings[src]
	return r.control, r.found
}

func (l *ringLink) Take(src dimmnet.Rank, p []byte) {
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
		moved, err := l.look(dimmnet.Rank(i))
		if err != nil {
			return false, err
		}
		progress = moved || progress
	}
	return progress, nil
}
