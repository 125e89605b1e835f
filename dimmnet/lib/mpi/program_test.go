package mpi

import (
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// A random program is a list of calls for each rank. Most programs come from a list of messages,
// each a call of its sender and one of its receiver, so that all can be received. Then some
// calls are moved, removed or given wildcards, so that some programs deadlock.

// verb is the kind of a call.
type verb int

const (
	sends verb = iota // Send or Isend
	receives
	probes // Probe, then Recv of the message found
	waits  // for the requests of earlier calls
	barriers
)

func (v verb) String() string {
	return [...]string{"send", "recv", "probe", "wait", "barrier"}[v]
}

// line is one call of a rank's program.
type line struct {
	verb  verb
	comm  int // index of the communicator
	peer  int // rank in the communicator, or AnySource
	tag   int
	n     int   // size of the message or of the receive buffer
	async bool  // not waited for
	self  bool  // a send to the rank itself; its receive is the next line
	on    []int // lines that a waits line waits for
	spend int   // microseconds to spend first, on virtual clocks
}

// program has the calls of all ranks. Communicator 0 has all ranks, 1 is a Dup of it, and 2 and
// 3 are the halves of a Split; each rank has one of these as its index 2.
type program struct {
	seed  uint64
	nodes int
	opts  Options
	lines [][]line                // by rank
	link  func(dimmnet.Port) Link // nil: rings, which are watched
}

// commRanks returns the ranks of communicator comm, as rank sees it.
func commRanks(nodes, rank, comm int) (ranks []int) {
	for r := range nodes {
		if comm < 2 || r%2 == rank%2 {
			ranks = append(ranks, r)
		}
	}
	if comm == 2 { // by descending key
		for i, k := 0, len(ranks)-1; i < k; i, k = i+1, k-1 {
			ranks[i], ranks[k] = ranks[k], ranks[i]
		}
	}
	return ranks
}

// indexIn returns the number of rank in a communicator.
func indexIn(ranks []int, rank int) int {
	for i, r := range ranks {
		if r == rank {
			return i
		}
	}
	panic(fmt.Sprintf("mpi: rank %d is not in %v", rank, ranks))
}

// generate makes a program from a seed.
func generate(seed uint64) *program {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &program{seed: seed, nodes: 2 + r.IntN(4)}
	p.opts = Options{
		Eager: []int{-1, 1, 40, 200}[r.IntN(4)],
		Ring:  []int{512, 520, 1000, 4096}[r.IntN(4)],
	}
	p.lines = make([][]line, p.nodes)
	wild := []int{0, 0, 0, 3, 10, 40}[r.IntN(6)] // percentage of wildcards
	open := r.IntN(16)                           // bit set of communicators with wildcards
	tags := 1 + r.IntN(3)
	async := []int{10, 50, 90}[r.IntN(3)]
	for range 1 + r.IntN(30) {
		if r.IntN(25) == 0 {
			p.barrier(r)
			continue
		}
		p.message(r, tags, wild, async, open)
	}
	// Disturbed programs may deadlock. The others deadlock only if a wildcard takes the message
	// that a later receive needs.
	if r.IntN(4) == 0 {
		p.disturb(r)
	}
	for rank := range p.lines {
		p.finish(r, rank)
	}
	return p
}

// wild reports whether timing can determine which receive gets which message.
func (p *program) wild() bool {
	for _, lines := range p.lines {
		for _, l := range lines {
			if (l.verb == receives || l.verb == probes) && (l.peer == AnySource || l.tag == AnyTag) {
				return true
			}
		}
	}
	return false
}

// size returns a size around the eager limit.
func (p *program) size(r *rand.Rand) int {
	e := max(p.opts.Eager, 40)
	list := []int{0, 1, 2, e - 1, e, e + 1, e + r.IntN(3*e), 10 * e, r.IntN(e + 1)}
	return max(0, list[r.IntN(len(list))])
}

func (p *program) barrier(r *rand.Rand) {
	comm := r.IntN(2)
	for rank := range p.lines {
		p.lines[rank] = append(p.lines[rank], line{verb: barriers, comm: comm})
	}
}

// message adds the send and the receive of a message.
func (p *program) message(r *rand.Rand, tags, wild, async, open int) {
	src, comm := r.IntN(p.nodes), r.IntN(3)
	ranks := commRanks(p.nodes, src, comm)
	dst := ranks[r.IntN(len(ranks))]
	tag, n := r.IntN(tags), p.size(r)
	percent := func(limit int) bool { return r.IntN(100) < limit }
	if open>>((dst+comm)%4)&1 != 0 {
		wild = 100 // the receive must not take another's message
	}
	send := line{verb: sends, comm: comm, peer: indexIn(ranks, dst), tag: tag, n: n, async: percent(async), self: src == dst}
	recv := line{verb: receives, comm: comm, peer: indexIn(ranks, src), tag: tag, n: n + r.IntN(3), async: percent(async)}
	switch {
	case percent(wild):
		recv.n += 10 * p.size(r) // another message may come, and should fit
	case r.IntN(20) == 0:
		recv.n = r.IntN(n + 1) // too short
	}
	if percent(wild) {
		recv.peer = AnySource
	}
	if percent(wild) {
		recv.tag = AnyTag
	}
	if r.IntN(8) == 0 {
		recv.verb, recv.async = probes, false
	}
	if src == dst && n > p.opts.Eager && r.IntN(100) > 0 {
		send.async = true // otherwise most sends to the rank itself deadlock
	}
	for _, l := range []*line{&send, &recv} {
		if r.IntN(4) == 0 {
			l.spend = r.IntN(60)
		}
	}
	p.lines[src] = append(p.lines[src], send)
	p.lines[dst] = append(p.lines[dst], recv)
}

// disturb moves and removes calls at random.
func (p *program) disturb(r *rand.Rand) {
	for range 1 + r.IntN(4) {
		rank := r.IntN(p.nodes)
		lines := p.lines[rank]
		if len(lines) < 2 {
			continue
		}
		i := r.IntN(len(lines) - 1)
		if r.IntN(12) == 0 && lines[i].verb != barriers { // Finalize adds one barrier
			p.lines[rank] = append(lines[:i:i], lines[i+1:]...)
		} else {
			lines[i], lines[i+1] = lines[i+1], lines[i]
		}
	}
}

// finish puts waits between the calls of a rank, and a last one for all remaining requests.
func (p *program) finish(r *rand.Rand, rank int) {
	var lines []line
	var open []int
	wait := func(n int) {
		r.Shuffle(len(open), func(i, k int) { open[i], open[k] = open[k], open[i] })
		lines = append(lines, line{verb: waits, on: append([]int(nil), open[:n]...)})
		open = open[n:]
	}
	for _, l := range p.lines[rank] {
		if l.async {
			open = append(open, len(lines))
		}
		lines = append(lines, l)
		if len(open) > 0 && !l.self && r.IntN(6) == 0 {
			wait(1 + r.IntN(len(open)))
		}
	}
	if len(open) > 0 {
		wait(len(open))
	}
	p.lines[rank] = lines
}
