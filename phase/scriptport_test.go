package phase_test

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase"
)

// scriptPort is a port whose posts land when the script says so.
type scriptPort struct {
	dimmnet.Port // nil: an engine calls no other methods than those below

	rank   dimmnet.Rank
	world  *world
	limits dimmnet.Limits
	llcm   []byte
	banks  [2][]byte // of bulk memory; the host uses the first
	flips  int
	pushes int
	out    [][]func() // by destination: posts that have not landed

	sending  map[dimmnet.Rank]int      // by receiver: how many zero-copy sends have not landed
	landed   map[dimmnet.Rank][][]byte // by sender: sends that have landed and wait for a receive
	receives map[dimmnet.Rank][][]byte // by sender: receives that wait for a send

	abandoned int   // how often Abandon was called
	failed    error // the port has failed; nil: it has not
}

// scriptZeroCopy is a scriptPort with ZeroCopy.
type scriptZeroCopy struct{ *scriptPort }

func (p scriptZeroCopy) Send(dst dimmnet.Rank, b []byte) bool {
	p.mustGoOn()
	p.sending[dst]++
	sent := bytes.Clone(b)
	p.out[dst] = append(p.out[dst], func() {
		if p.abandoned > 0 {
			return // the program may use its memory for something else
		}
		if !bytes.Equal(b, sent) {
			panic(fmt.Sprintf("rank %d has changed %q, which it sent to rank %d, to %q", p.rank, sent, dst, b))
		}
		p.sending[dst]--
		peer := p.world.ranks[dst].port
		peer.landed[p.rank] = append(peer.landed[p.rank], sent)
		peer.match(p.rank)
	})
	return true
}

func (p scriptZeroCopy) Sending(dst dimmnet.Rank) bool { return p.sending[dst] > 0 }

func (p scriptZeroCopy) Receive(src dimmnet.Rank, b []byte) {
	p.mustGoOn()
	p.receives[src] = append(p.receives[src], b)
	p.match(src)
}

func (p scriptZeroCopy) Receiving(src dimmnet.Rank) int { return len(p.receives[src]) }

// Abandon ends all sends and receives. An engine calls it once, when it has failed.
func (p scriptZeroCopy) Abandon() {
	p.abandoned++
	clear(p.sending)
	clear(p.receives)
}

func (p scriptZeroCopy) mustGoOn() {
	if p.abandoned > 0 {
		panic(fmt.Sprintf("rank %d sends or receives after Abandon", p.rank))
	}
}

// match completes receives with the sends that have landed.
func (p *scriptPort) match(src dimmnet.Rank) {
	for len(p.receives[src]) > 0 && len(p.landed[src]) > 0 {
		to, from := p.receives[src][0], p.landed[src][0]
		if len(to) != len(from) {
			panic(fmt.Sprintf("rank %d sends %d bytes to rank %d, which receives %d", src, len(from), p.rank, len(to)))
		}
		copy(to, from)
		p.receives[src], p.landed[src] = p.receives[src][1:], p.landed[src][1:]
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

// Push posts a PUSH, which moves its bytes when the script lands it. The PUSH panics if either rank
// calls Flip before it lands.
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

func (p *scriptPort) Arrivals() dimmnet.Mark { return 0 }
func (p *scriptPort) Idle(dimmnet.Mark) {
	if p.failed == nil {
		panic("the script drives the engine, so it must not idle")
	}
}

func (p *scriptPort) Err() error                 { return p.failed }
func (p *scriptPort) Counters() dimmnet.Counters { return dimmnet.Counters{} }

// scriptLimits returns the limits of a port without bulk memory.
func scriptLimits(llcm int) dimmnet.Limits { return dimmnet.Limits{Store: 8, Block: 464, LLCM: llcm} }

func (w *world) begin(n int, limits dimmnet.Limits, by phase.Transfer) error {
	*w = world{ranks: make([]*scriptRank, n), tree: w.tree, inline: w.inline, views: w.views, whole: w.whole, help: w.help, zeroCopy: w.zeroCopy}
	size := 1024
	if w.help {
		size = 2 << 20
	}
	for i := range w.ranks {
		r := &scriptRank{space: consistency.NewSpace(), mem: make([]byte, size)}
		r.port = &scriptPort{rank: dimmnet.Rank(i), world: w, limits: limits, llcm: make([]byte, limits.LLCM), out: make([][]func(), n)}
		r.port.sending, r.port.landed, r.port.receives = map[dimmnet.Rank]int{}, map[dimmnet.Rank][][]byte{}, map[dimmnet.Rank][][]byte{}
		for b := range r.port.banks {
			r.port.banks[b] = make([]byte, limits.Bulk)
		}
		w.ranks[i] = r
	}
	lists := phase.ListsAuto
	if w.tree {
		lists = phase.ListsTree
	}
	for _, r := range w.ranks {
		var err error
		var port dimmnet.Port = r.port
		if w.zeroCopy {
			port = scriptZeroCopy{r.port}
		}
		if r.engine, err = phase.New(port, r.space, phase.Config{Transfer: by, Lists: lists, Live: w.inline, Views: w.views, Whole: w.whole, Help: w.help}); err != nil {
			return err
		}
		if r.base, err = r.space.AddRegion("array", "1024 bytes", 1, r.mem); err != nil {
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
