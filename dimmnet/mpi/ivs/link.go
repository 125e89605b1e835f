package ivs

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/dimmnet2"
	"github.com/fagus-dsm/fagus/dimmnet/mpi"
)

// Config says how a link uses its NIC. The zero value is useful.
type Config struct {
	// Protocol is what MPI's software takes for a control packet, half of it at either end, charged to the virtual clock. The paper's
	// difference between MPI and its library is 1.25 us (spec/40, figure 6).
	Protocol dimmnet.Time
	// Area is where the part of SO-DIMM begins that rendezvous use, and AreaBytes how long it is; 0 stands for the lower half.
	Area      dimmnet.Offset
	AreaBytes int
}

// loadBytes is what one VL brings of a ring at first: spec/40, figure 4.
const loadBytes = 128

// Link is an mpi.Link.
type Link struct {
	h       dimmnet.Host
	u       *dimmnet2.User
	params  dimmnet2.Params
	cfg     Config
	senders []sender
	rings   []receiver
	windows []int // that are free as far as is known
	used    []int // the others, in the order in which they were used
	area    area
	err     error // for good
	inPW    int   // how many bytes of the ring of pwOf stand in PW, from its position on
	pwOf    dimmnet.Rank
}

// sender is the way to one rank: chunks that are still to be put into windows.
type sender struct {
	chunks [][]byte
	sent   uint64 // packets, ever: whether a rank's own ring has to be looked at
}

// receiver is the ring from one rank.
type receiver struct {
	nwa, pos, given uint64 // written, read, and as far as the controller knows
	found           bool
	control         mpi.Control
	first           []byte // what the first VL has brought behind it
}

// New is the link of a host of a DIMMnet-2 network.
func New(h dimmnet.Host, cfg Config) (*Link, error) {
	u, err := dimmnet2.Open(h)
	if err != nil {
		return nil, err
	}
	p := u.Params()
	if cfg.AreaBytes == 0 {
		cfg.Area, cfg.AreaBytes = dimmnet.Offset(p.LLCM), p.SODIMM/2
	}
	if int(cfg.Area) < p.LLCM || cfg.AreaBytes < 0 || int64(cfg.Area)+int64(cfg.AreaBytes) > int64(p.LLCM)+int64(p.SODIMM)/2 {
		return nil, fmt.Errorf("ivs: an area of %d bytes at %d: it is to lie in the lower half of SO-DIMM", cfg.AreaBytes, cfg.Area)
	}
	if cfg.AreaBytes/4 < dimmnet.WordBytes || p.Windows*p.WindowBytes < mpi.ControlBytes {
		return nil, fmt.Errorf("ivs: an area of %d bytes, windows of %d in all: want at least %d and %d", cfg.AreaBytes, p.Windows*p.WindowBytes, 4*dimmnet.WordBytes, mpi.ControlBytes)
	}
	nodes := h.Port().Nodes()
	l := &Link{h: h, u: u, params: p, cfg: cfg, senders: make([]sender, nodes), rings: make([]receiver, nodes)}
	for w := range p.Windows {
		l.windows = append(l.windows, w)
	}
	stage := cfg.AreaBytes / 4 // for what is on its way out
	l.area = area{free: []span{{cfg.Area + dimmnet.Offset(stage), cfg.AreaBytes - stage}}, stage: span{cfg.Area, stage}}
	return l, nil
}

// payload is what a window carries.
func (l *Link) payload() int { return l.params.WindowBytes - l.params.ImageBytes }

// Block is a quarter of a ring, less a control packet.
func (l *Link) Block() int { return l.params.RingBytes/4 - mpi.ControlBytes }

// Send puts a packet and its data into windows, as many as are free; the rest follows by Step.
func (l *Link) Send(dst dimmnet.Rank, c *mpi.Control, data []byte) bool {
	s := &l.senders[dst]
	if len(s.chunks) > 0 {
		return false
	}
	l.h.Spend(l.cfg.Protocol / 2)
	b := make([]byte, (mpi.ControlBytes+len(data)+dimmnet.WordBytes-1)/dimmnet.WordBytes*dimmnet.WordBytes)
	copy(b, c[:])
	copy(b[mpi.ControlBytes:], data)
	s.chunks = slices.Collect(slices.Chunk(b, l.payload()))
	s.sent++
	l.push(dst)
	return true
}

// push sends chunks through free windows.
func (l *Link) push(dst dimmnet.Rank) (progress bool) {
	s := &l.senders[dst]
	for len(s.chunks) > 0 && len(l.windows) > 0 {
		w := l.windows[0]
		l.windows, l.used = l.windows[1:], append(l.used, w)
		if err := l.u.Put(w, l.u.IVSImage(dst, len(s.chunks[0])), s.chunks[0]); err != nil {
			panic(err) // a window is large enough
		}
		if _, err := l.u.BOTF(w); err != nil {
			panic(err)
		}
		s.chunks, progress = s.chunks[1:], true
	}
	return progress
}

// Busy says whether a part of what was sent is still to be put into windows.
func (l *Link) Busy(dst dimmnet.Rank) bool { return len(l.senders[dst].chunks) > 0 }

// Step goes on with what is being sent, and looks for packets.
func (l *Link) Step() (progress bool, err error) {
	if l.err != nil {
		return false, l.err
	}
	for dst := range l.senders {
		if len(l.senders[dst].chunks) == 0 {
			continue
		}
		if len(l.windows) == 0 && len(l.used) > 0 && l.u.Free(l.used[0]) { // packets are accepted in order, but for those of other rings
			l.windows, l.used = append(l.windows, l.used[0]), l.used[1:]
			progress = true
		}
		progress = l.push(dimmnet.Rank(dst)) || progress
	}
	for src := range l.rings {
		more, err := l.look(dimmnet.Rank(src))
		if err != nil {
			return false, err
		}
		progress = progress || more
	}
	return progress, nil
}

// look polls the NWA of a ring, and loads the control packet of what is whole.
func (l *Link) look(src dimmnet.Rank) (progress bool, err error) {
	r := &l.rings[src]
	if r.found || src == l.h.Port().Rank() && l.senders[src].sent == 0 {
		return false, nil
	}
	if r.nwa < r.pos+r.needs() {
		nwa, err := l.u.NWA(src)
		if err != nil || nwa == r.nwa {
			return false, err
		}
		r.nwa, progress = nwa, true
	}
	if r.nwa < r.pos+r.needs() {
		return progress, nil
	}
	if r.first == nil {
		n := min(int(min(r.nwa-r.pos, loadBytes)), l.params.Windows*l.params.WindowBytes)
		if r.first, err = l.load(src, r.pos, n, mpi.ControlBytes); err != nil {
			return false, err
		}
		copy(r.control[:], r.first)
		if n := r.control.Data(); n > l.Block() {
			return false, fmt.Errorf("ivs: rank %d: a packet with %d bytes of data, %d at most", src, n, l.Block())
		}
		progress = true
	}
	if r.nwa < r.pos+r.needs() {
		return progress, nil
	}
	r.found = true
	l.h.Spend(l.cfg.Protocol / 2)
	return true, nil
}

// needs is how many bytes must stand in the ring to go on: a control packet, or all of the packet.
func (r *receiver) needs() uint64 {
	if r.first == nil {
		return mpi.ControlBytes
	}
	return uint64(record(r.control.Data()))
}

// record is what a packet with n bytes of data takes in a ring.
func record(n int) int {
	return (mpi.ControlBytes + n + dimmnet.WordBytes - 1) / dimmnet.WordBytes * dimmnet.WordBytes
}

// load brings n bytes of a ring to PW, and the first of them to the host.
func (l *Link) load(src dimmnet.Rank, pos uint64, n, fetch int) ([]byte, error) {
	c, err := l.u.VL(l.u.Ring(src, pos, n), 0)
	if err != nil {
		return nil, err
	}
	for !l.u.Done(c) {
	}
	l.pwOf, l.inPW = src, n
	b := make([]byte, n)
	return b, l.u.Fetch(b[:fetch], 0)
}

// Poll is the packet that Step has found.
func (l *Link) Poll(src dimmnet.Rank) (c mpi.Control, found bool) {
	r := &l.rings[src]
	return r.control, r.found
}

// Take loads the data behind it, and advances the NRA.
func (l *Link) Take(src dimmnet.Rank, p []byte) {
	r := &l.rings[src]
	at := 0
	if l.pwOf == src && l.inPW >= mpi.ControlBytes+len(p) { // the first VL has brought it, and nothing else was loaded since
		if err := l.u.Fetch(p, mpi.ControlBytes); err != nil {
			panic(err)
		}
		at = len(p)
	}
	for at < len(p) {
		n := min(len(p)-at, l.params.Windows*l.params.WindowBytes)
		b, err := l.load(src, r.pos+uint64(mpi.ControlBytes+at), n, n)
		if err != nil {
			panic(err) // it is in the ring
		}
		copy(p[at:], b)
		at += n
	}
	r.pos += uint64(record(len(p)))
	r.found, r.first, l.inPW = false, nil, 0
	if r.pos-r.given < uint64(l.params.RingBytes/4) {
		return // the controller need not know yet
	}
	if err := l.u.Advance(src, r.pos); err != nil {
		panic(err)
	}
	r.given = r.pos
}
