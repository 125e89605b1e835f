package ivs

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
)

// Config configures a link. The zero value is useful.
type Config struct {
	// Protocol is the time of MPI's calls, and of its work on requests, for a message or access,
	// half of it at each end. The progress engine, which answers, takes none (docs/lab/papers.md,
	// DIMMnet-2 and MPI, Figures, row 6).
	Protocol dimmnet.Time
	// Area is the start of the part of SO-DIMM that rendezvous use, and AreaBytes its size. If
	// AreaBytes is 0, they use the lower half of SO-DIMM.
	Area      dimmnet.Offset
	AreaBytes int
}

// loadBytes is a packet's first VL (docs/lab/papers.md, DIMMnet-2 and MPI, Figures).
const loadBytes = 128

// Link is an mpi.Link over the commands of a DIMMnet-2 host.
type Link struct {
	h       dimmnet.Host
	u       *dimmnet2.User
	params  dimmnet2.Params
	cfg     Config
	senders []sender
	rings   []receiver
	windows []int // windows known to be free
	used    []int // windows in use, in the order of use
	area    area  // memory for rendezvous data
	err     error // first error; the link stays failed
	inPW    int   // bytes that PW holds of pwOf's ring, from the ring's position on
	pwOf    dimmnet.Rank
}

type sender struct {
	chunks [][]byte // chunks that must still be put into windows
	sent   uint64   // packets sent so far; a rank polls its own ring only if it has sent one
}

type receiver struct {
	nwa, pos, reported uint64 // bytes written, read, and reported as read
	found              bool   // a complete packet is at pos
	control            mpi.Control
	first              []byte // bytes that the first VL loaded; nil before it
}

// New returns a link for a host of a DIMMnet-2 network.
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
		return nil, fmt.Errorf("ivs: area of %d bytes at %d: want words in the lower half of SO-DIMM", cfg.AreaBytes, cfg.Area)
	}
	if cfg.AreaBytes/4 < dimmnet.WordBytes || p.Windows*p.WindowBytes < mpi.ControlBytes {
		return nil, fmt.Errorf("ivs: area of %d bytes and windows of %d bytes in total: want at least %d and %d", cfg.AreaBytes, p.Windows*p.WindowBytes, 4*dimmnet.WordBytes, mpi.ControlBytes)
	}
	nodes := h.Port().Nodes()
	l := &Link{h: h, u: u, params: p, cfg: cfg, senders: make([]sender, nodes), rings: make([]receiver, nodes)}
	for w := range p.Windows {
		l.windows = append(l.windows, w)
	}
	stage := cfg.AreaBytes / 4 // holds outgoing data
	l.area = area{free: []span{{cfg.Area + dimmnet.Offset(stage), cfg.AreaBytes - stage}}, stage: span{cfg.Area, stage}}
	return l, nil
}

func (l *Link) payload() int { return l.params.WindowBytes - l.params.ImageBytes }

// Block returns a quarter of a ring, less a control packet.
func (l *Link) Block() int { return l.params.RingBytes/4 - mpi.ControlBytes }

// Send puts a packet and its data into as many windows as are free. Step sends the rest.
func (l *Link) Send(dst dimmnet.Rank, c *mpi.Control, data []byte) bool {
	s := &l.senders[dst]
	if len(s.chunks) > 0 {
		return false
	}
	l.charge(c)
	b := make([]byte, (mpi.ControlBytes+len(data)+dimmnet.WordBytes-1)/dimmnet.WordBytes*dimmnet.WordBytes)
	copy(b, c[:])
	copy(b[mpi.ControlBytes:], data)
	s.chunks = slices.Collect(slices.Chunk(b, l.payload()))
	s.sent++
	l.push(dst)
	return true
}

// charge spends MPI's time for a packet at one end.
func (l *Link) charge(c *mpi.Control) {
	if c.OfCall() {
		l.h.Spend(l.cfg.Protocol / 2)
	}
}

func (l *Link) push(dst dimmnet.Rank) (progress bool) {
	s := &l.senders[dst]
	for len(s.chunks) > 0 && len(l.windows) > 0 {
		w := l.windows[0]
		l.windows, l.used = l.windows[1:], append(l.used, w)
		if err := l.u.Put(w, l.u.IVSImage(dst, len(s.chunks[0])), s.chunks[0]); err != nil {
			panic(err) // the chunk fits into a window
		}
		if _, err := l.u.BOTF(w); err != nil {
			panic(err)
		}
		s.chunks, progress = s.chunks[1:], true
	}
	return progress
}

// Busy reports whether a part of a packet must still be put into windows.
func (l *Link) Busy(dst dimmnet.Rank) bool { return len(l.senders[dst].chunks) > 0 }

// Step continues sending, and polls for packets.
func (l *Link) Step() (progress bool, err error) {
	if l.err != nil {
		return false, l.err
	}
	for dst := range l.senders {
		if len(l.senders[dst].chunks) == 0 {
			continue
		}
		if len(l.windows) == 0 && len(l.used) > 0 && l.u.Free(l.used[0]) {
			// Windows become free in this order, except for packets to other rings.
			l.windows, l.used = append(l.windows, l.used[0]), l.used[1:]
			progress = true
		}
		progress = l.push(dimmnet.Rank(dst)) || progress
	}
	for src := range l.rings {
		more, err := l.poll(dimmnet.Rank(src))
		if err != nil {
			return false, err
		}
		progress = progress || more
	}
	return progress, nil
}

// poll polls a ring's NWA, loads a complete control packet, and sets found when its data is there.
func (l *Link) poll(src dimmnet.Rank) (progress bool, err error) {
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
			return false, fmt.Errorf("ivs: packet from rank %d with %d bytes of data: want at most %d", src, n, l.Block())
		}
		progress = true
	}
	if r.nwa < r.pos+r.needs() {
		return progress, nil
	}
	r.found = true
	l.charge(&r.control)
	return true, nil
}

// needs returns the bytes that must be in the ring next: a control packet, or the whole packet.
func (r *receiver) needs() uint64 {
	if r.first == nil {
		return mpi.ControlBytes
	}
	return uint64(record(r.control.Data()))
}

// record returns the size in a ring of a packet with n bytes of data.
func record(n int) int {
	return (mpi.ControlBytes + n + dimmnet.WordBytes - 1) / dimmnet.WordBytes * dimmnet.WordBytes
}

// load loads n bytes of a ring into PW. It copies the first fetch bytes of them to the host.
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

// Poll returns the packet that Step has found.
func (l *Link) Poll(src dimmnet.Rank) (c mpi.Control, found bool) {
	r := &l.rings[src]
	return r.control, r.found
}

// Consume loads the data of the packet, and advances the NRA.
func (l *Link) Consume(src dimmnet.Rank, p []byte) {
	r := &l.rings[src]
	at := 0
	if l.pwOf == src && l.inPW >= mpi.ControlBytes+len(p) {
		// The first VL has loaded the data, and PW still holds it.
		if err := l.u.Fetch(p, mpi.ControlBytes); err != nil {
			panic(err)
		}
		at = len(p)
	}
	for at < len(p) {
		n := min(len(p)-at, l.params.Windows*l.params.WindowBytes)
		b, err := l.load(src, r.pos+uint64(mpi.ControlBytes+at), n, n)
		if err != nil {
			panic(err) // the data is in the ring
		}
		copy(p[at:], b)
		at += n
	}
	r.pos += uint64(record(len(p)))
	r.found, r.first, l.inPW = false, nil, 0
	if r.pos-r.reported < uint64(l.params.RingBytes/4) {
		return // one NRA is stored per quarter of the ring
	}
	if err := l.u.Advance(src, r.pos); err != nil {
		panic(err)
	}
	r.reported = r.pos
}
