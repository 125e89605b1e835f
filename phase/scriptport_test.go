package phase_test

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase"
)

// scriptPort is a port whose packets wait until the script lands them.
type scriptPort struct {
	dimmnet.Port // nil: the methods below are all that an engine calls

	rank   dimmnet.Rank
	world  *world
	limits dimmnet.Limits
	llcm   []byte
	banks  [2][]byte // of bulk memory; the host sees the first
	flips  int
	pushes int
	out    [][]func() // by destination: what lands next

	giving map[dimmnet.Rank]int      // that have not landed
	gifts  map[dimmnet.Rank][][]byte // that have and were not taken
	takes  map[dimmnet.Rank][][]byte
}

// scriptGiver is a scriptPort that gives.
type scriptGiver struct{ *scriptPort }

func (p scriptGiver) Give(dst dimmnet.Rank, b []byte) bool {
	p.giving[dst]++
	given := bytes.Clone(b)
	p.out[dst] = append(p.out[dst], func() {
		if !bytes.Equal(b, given) {
			panic(fmt.Sprintf("rank %d has changed %q, which it gave rank %d, to %q", p.rank, given, dst, b))
		}
		p.giving[dst]--
		peer := p.world.ranks[dst].port
		peer.gifts[p.rank] = append(peer.gifts[p.rank], given)
		peer.match(p.rank)
	})
	return true
}

func (p scriptGiver) Giving(dst dimmnet.Rank) bool { return p.giving[dst] > 0 }

func (p scriptGiver) Take(src dimmnet.Rank, b []byte) {
	p.takes[src] = append(p.takes[src], b)
	p.match(src)
}

func (p scriptGiver) Taking(src dimmnet.Rank) int { return len(p.takes[src]) }
func (p scriptGiver) Abandon()                    {}

// match gives what has landed to who takes it.
func (p *scriptPort) match(src dimmnet.Rank) {
	for len(p.takes[src]) > 0 && len(p.gifts[src]) > 0 {
		to, from := p.takes[src][0], p.gifts[src][0]
		if len(to) != len(from) {
			panic(fmt.Sprintf("rank %d gives %d bytes to rank %d, which takes %d", src, len(from), p.rank, len(to)))
		}
		copy(to, from)
		p.takes[src], p.gifts[src] = p.takes[src][1:], p.gifts[src][1:]
	}
}

func (p *scriptPort) Rank() dimmnet.Rank     { return p.rank }
func (p *scriptPort) Nodes() int             { return len(p.world.ranks) }
func (p *scriptPort) Limits() dimmnet.Limits { return p.limits }
func (p *scriptPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	return p.Write(dst, off, b[:size])
}

func (p *scriptPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	data := append([]byte(nil), b...)
	p.out[dst] = append(p.out[dst], func() { copy(p.world.ranks[dst].port.llcm[off:], data) })
	return true
}

// Push moves the bytes when the script lands it: a Flip before that is a mistake
// of the engine.
func (p *scriptPort) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.limits.CheckRDMA(p.Nodes(), dst, from, to, n, done)
	p.pushes++
	peer := p.world.ranks[dst].port
	flips := [2]int{p.flips, peer.flips}
	p.out[dst] = append(p.out[dst], func() {
		if now := [2]int{p.flips, peer.flips}; now != flips {
			panic(fmt.Sprintf("rank %d pushed to rank %d, and their flips went from %v to %v", p.rank, dst, flips, now))
		}
		from, to := int(from)-len(p.llcm), int(to)-len(peer.llcm)
		copy(peer.banks[1][to:to+n], p.banks[1][from:from+n])
		binary.LittleEndian.PutUint64(p.llcm[done:], uint64(n))
	})
	return true
}

func (p *scriptPort) Fill(off dimmnet.Offset, b []byte) {
	p.limits.CheckFill(off, len(b))
	copy(p.banks[0][int(off)-len(p.llcm):], b)
}

func (p *scriptPort) Flip() {
	p.flips++
	p.banks[0], p.banks[1] = p.banks[1], p.banks[0]
}

func (p *scriptPort) Load(off dimmnet.Offset) uint64 { return binary.LittleEndian.Uint64(p.llcm[off:]) }

func (p *scriptPort) Read(b []byte, off dimmnet.Offset) {
	p.limits.CheckRead(off, len(b))
	if int(off) < len(p.llcm) {
		copy(b, p.llcm[off:])
	} else {
		copy(b, p.banks[0][int(off)-len(p.llcm):])
	}
}

func (p *scriptPort) Arrivals() dimmnet.Mark     { return 0 }
func (p *scriptPort) Idle(dimmnet.Mark)          { panic("a step machine idled") }
func (p *scriptPort) Err() error                 { return nil }
func (p *scriptPort) Counters() dimmnet.Counters { return dimmnet.Counters{} }

// scriptLimits are those of a port without bulk memory.
func scriptLimits(llcm int) dimmnet.Limits { return dimmnet.Limits{Store: 8, Block: 464, LLCM: llcm} }

func (w *world) begin(n int, limits dimmnet.Limits, by phase.Transfer) error {
	*w = world{ranks: make([]*scriptRank, n), words: w.words, views: w.views, help: w.help, gifts: w.gifts}
	size := 1024
	if w.help {
		size = 2 << 20
	}
	for i := range w.ranks {
		r := &scriptRank{space: consistency.NewSpace(), mem: make([]byte, size)}
		r.port = &scriptPort{rank: dimmnet.Rank(i), world: w, limits: limits, llcm: make([]byte, limits.LLCM), out: make([][]func(), n)}
		r.port.giving, r.port.gifts, r.port.takes = map[dimmnet.Rank]int{}, map[dimmnet.Rank][][]byte{}, map[dimmnet.Rank][][]byte{}
		for b := range r.port.banks {
			r.port.banks[b] = make([]byte, limits.Bulk)
		}
		w.ranks[i] = r
	}
	for _, r := range w.ranks {
		var err error
		var port dimmnet.Port = r.port
		if w.gifts {
			port = scriptGiver{r.port}
		}
		if r.engine, err = phase.New(port, r.space, phase.Config{Transfer: by, Words: w.words, Views: w.views, Help: w.help}); err != nil {
			return err
		}
		if r.base, err = r.space.AddRegion("array", "1024 bytes", r.mem); err != nil {
			return err
		}
		if w.views {
			all := make([][]byte, n)
			for i, r := range w.ranks {
				all[i] = r.mem
			}
			r.space.SetViews(r.base, all)
		}
	}
	return nil
}
