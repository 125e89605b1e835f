package sendrecv

import (
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

var errScript = errors.New("end of the script")

// fakePort is the port of rank 0. A script supplies the words of its peer, rank 1. The port
// panics on an access outside the areas of the pair.
type fakePort struct {
	limits dimmnet.Limits
	nodes  int
	script []uint64 // words that successive polls of rank 1's flag return; then the port fails
	rounds uint64   // rank 1's announcement
	layout *layout
	done   uint64
	stored []word // words that rank 0 has stored
	err    error
}

func (p *fakePort) Rank() dimmnet.Rank         { return 0 }
func (p *fakePort) Nodes() int                 { return p.nodes }
func (p *fakePort) Limits() dimmnet.Limits     { return p.limits }
func (p *fakePort) Arrivals() dimmnet.Mark     { return 0 }
func (p *fakePort) Idle(dimmnet.Mark)          {}
func (p *fakePort) Err() error                 { return p.err }
func (p *fakePort) Counters() dimmnet.Counters { return dimmnet.Counters{} }
func (p *fakePort) Flip()                      {}

func (p *fakePort) Multicast([]dimmnet.Rank, dimmnet.Offset, uint64, int) bool {
	panic("a Multicast")
}

func (p *fakePort) Load(off dimmnet.Offset) uint64 {
	p.limits.CheckLoad(off)
	switch off {
	case p.layout.done():
		return p.done
	case p.layout.rounds(0, 1, 0):
		return p.rounds
	case p.layout.flag(0, 1, 0):
		if len(p.script) == 0 {
			p.err = errScript
			return 0
		}
		raw := p.script[0]
		p.script = p.script[1:]
		return raw
	}
	panic(fmt.Sprintf("a Load at %d", off))
}

func (p *fakePort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.limits.CheckStore(p.nodes, dst, off, size)
	switch {
	case dst == 0 && off == p.layout.done():
		p.done = v
	case dst == 1 && (off == p.layout.flag(1, 0, 0) || off == p.layout.rounds(1, 0, 0)):
		w, err := decode(v)
		if err != nil {
			panic(err)
		}
		p.stored = append(p.stored, w)
	default:
		panic(fmt.Sprintf("a Store to rank %d at %d", dst, off))
	}
	return true
}

func (p *fakePort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.limits.CheckWrite(p.nodes, dst, off, len(b))
	within(off, len(b), p.layout.land(1, 0), p.layout.landing)
	return true
}

func (p *fakePort) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.limits.CheckRDMA(p.nodes, dst, from, to, n, done)
	within(from, n, p.layout.area(0, 1), p.layout.areaBytes())
	within(to, n, p.layout.area(1, 0), p.layout.areaBytes())
	p.done = uint64(n)
	return true
}

func (p *fakePort) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.Push(src, to, from, n, done)
}

func (p *fakePort) Read(b []byte, off dimmnet.Offset) {
	p.limits.CheckRead(off, len(b))
	if int(off) < p.limits.LLCM {
		within(off, len(b), p.layout.land(0, 1), p.layout.landing)
	} else {
		within(off, len(b), p.layout.area(0, 1), p.layout.areaBytes())
	}
}

func (p *fakePort) Fill(off dimmnet.Offset, b []byte) {
	p.limits.CheckFill(off, len(b))
	within(off, len(b), p.layout.area(0, 1), p.layout.areaBytes())
}

func within(off dimmnet.Offset, n int, area dimmnet.Offset, size int) {
	if off < area || int(off)+n > int(area)+size {
		panic(fmt.Sprintf("%d bytes at %d: outside the area of %d at %d", n, off, size, area))
	}
}

// talk runs rank 0's Send or Recv of n bytes against a peer that stores the words of the script.
// The areas have two buffers; a piece of RDMA has at most 5000 bytes.
func talk(send bool, n int, announced uint64, script ...uint64) (p *fakePort, received int, err error) {
	p = &fakePort{nodes: 3, script: script, rounds: announced, limits: dimmnet1()}
	p.limits.Bulk, p.limits.RDMA = 4*bufferBytes, 5000
	e, err := New(p, Config{BOTF: 600, Group: group})
	if err != nil {
		panic(err)
	}
	p.layout = &e.layout
	if send {
		return p, 0, e.Send(1, make([]byte, n))
	}
	received, err = e.Recv(1, make([]byte, n))
	return p, received, err
}

const group = 9
