package sendrecv

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// model is a network that delays everything as long as allowed: the posts of a pair land in
// order but at any time, and RDMA is copied in two halves at any time. One goroutine draws what
// happens next. The model checks the claims of the package comment: every word in a flag area is
// read before the next one lands, and no bank flips during a peer's access.
type model struct {
	random *rand.Rand
	limits dimmnet.Limits
	banks  bool
	nodes  []*modelPort
	posts  [][][]func() // by source and destination: posts that have not landed
	rdma   []*modelRDMA // PUSHes and PULLs in progress
	broken []string     // violations found
}

// modelRDMA is a PUSH or PULL in progress.
type modelRDMA struct {
	own      *modelPort
	src, dst *modelPort
	from, to dimmnet.Offset
	n        int
	done     dimmnet.Offset
	copied   int // bytes
}

// modelPort is the port of a node.
type modelPort struct {
	m             *model
	rank          dimmnet.Rank
	llcm          []byte
	host, network []byte
	layout        *layout
	unread        map[dimmnet.Offset]bool // words in the flag area that have landed
}

func newModel(seed uint64, nodes, bulk int) *model {
	r := rand.New(rand.NewPCG(seed, 0))
	m := &model{random: r, banks: r.IntN(2) == 0, limits: dimmnet1()}
	m.limits.Bulk, m.limits.RDMA = bulk, 5000
	for i := range nodes {
		p := &modelPort{m: m, rank: dimmnet.Rank(i), llcm: make([]byte, m.limits.LLCM),
			host: make([]byte, bulk), unread: map[dimmnet.Offset]bool{}}
		p.network = p.host
		if m.banks {
			p.network = make([]byte, bulk)
		}
		m.nodes = append(m.nodes, p)
		m.posts = append(m.posts, make([][]func(), nodes))
	}
	return m
}

func (m *model) fail(format string, args ...any) {
	m.broken = append(m.broken, fmt.Sprintf(format, args...))
}

// happen lets one random network event happen, if any is pending.
func (m *model) happen() {
	i := m.random.IntN(len(m.nodes) + 1)
	if i == len(m.nodes) {
		if len(m.rdma) > 0 {
			k := m.random.IntN(len(m.rdma))
			if m.rdma[k].advance() {
				m.rdma = append(m.rdma[:k], m.rdma[k+1:]...)
			}
		}
		return
	}
	j := m.random.IntN(len(m.nodes))
	if queue := m.posts[i][j]; len(queue) > 0 {
		queue[0]()
		m.posts[i][j] = queue[1:]
	}
}

// advance copies one half, or reports the end.
func (x *modelRDMA) advance() (done bool) {
	if x.copied == x.n {
		x.own.put(x.done, uint64(x.n), wordBytes)
		return true
	}
	n := max(1, x.n/2)
	if x.copied > 0 {
		n = x.n - x.copied
	}
	at := x.copied
	from := x.src.network[int(x.from)-x.own.m.limits.LLCM:]
	to := x.dst.network[int(x.to)-x.own.m.limits.LLCM:]
	copy(to[at:at+n], from[at:at+n])
	x.copied += n
	return false
}

func (p *modelPort) put(off dimmnet.Offset, v uint64, size int) {
	var b [wordBytes]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(p.llcm[off:], b[:size])
}

func (p *modelPort) Rank() dimmnet.Rank         { return p.rank }
func (p *modelPort) Nodes() int                 { return len(p.m.nodes) }
func (p *modelPort) Limits() dimmnet.Limits     { return p.m.limits }
func (p *modelPort) Arrivals() dimmnet.Mark     { return 0 }
func (p *modelPort) Idle(dimmnet.Mark)          {}
func (p *modelPort) Err() error                 { return nil }
func (p *modelPort) Counters() dimmnet.Counters { return dimmnet.Counters{} }

func (p *modelPort) Multicast([]dimmnet.Rank, dimmnet.Offset, uint64, int) bool {
	panic("a Multicast")
}

// post queues a store into dst's memory, unless three posts are pending.
func (p *modelPort) post(dst dimmnet.Rank, land func()) bool {
	queue := &p.m.posts[p.rank][dst]
	if len(*queue) == 3 {
		return false
	}
	*queue = append(*queue, land)
	return true
}

func (p *modelPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.m.limits.CheckStore(p.Nodes(), dst, off, size)
	to := p.m.nodes[dst]
	return p.post(dst, func() {
		before := word{kind: sendReady}
		if off != p.layout.done() {
			before, _ = decode(binary.LittleEndian.Uint64(to.llcm[off:]))
		}
		if to.unread[off] && before.kind != sendReady {
			p.m.fail("rank %d overwrites %+v at rank %d, which has not read it", p.rank, before, dst)
		}
		to.unread[off] = true
		to.put(off, v, size)
	})
}

func (p *modelPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	p.m.limits.CheckWrite(p.Nodes(), dst, off, len(b))
	b = append([]byte{}, b...)
	return p.post(dst, func() { copy(p.m.nodes[dst].llcm[off:], b) })
}

func (p *modelPort) Load(off dimmnet.Offset) uint64 {
	p.m.limits.CheckLoad(off)
	p.unread[off] = false
	return binary.LittleEndian.Uint64(p.llcm[off:])
}

func (p *modelPort) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.m.limits.CheckRDMA(p.Nodes(), dst, from, to, n, done)
	return p.start(&modelRDMA{own: p, src: p, dst: p.m.nodes[dst], from: from, to: to, n: n, done: done})
}

func (p *modelPort) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.m.limits.CheckRDMA(p.Nodes(), src, from, to, n, done)
	return p.start(&modelRDMA{own: p, src: p.m.nodes[src], dst: p, from: from, to: to, n: n, done: done})
}

func (p *modelPort) start(x *modelRDMA) bool {
	if p.m.random.IntN(4) == 0 {
		return false
	}
	for _, y := range p.m.rdma {
		if x.src == y.src || x.src == y.dst || x.dst == y.src || x.dst == y.dst {
			p.m.fail("RDMA from rank %d to %d beside one from %d to %d", x.src.rank, x.dst.rank, y.src.rank, y.dst.rank)
		}
	}
	p.m.rdma = append(p.m.rdma, x)
	return true
}

// rests checks that no RDMA accesses the bulk memory of p.
func (p *modelPort) rests(what string) {
	for _, x := range p.m.rdma {
		if x.src == p || x.dst == p {
			p.m.fail("%s at rank %d during RDMA from rank %d to %d", what, p.rank, x.src.rank, x.dst.rank)
		}
	}
}

func (p *modelPort) Read(b []byte, off dimmnet.Offset) {
	p.m.limits.CheckRead(off, len(b))
	if int(off) < p.m.limits.LLCM {
		copy(b, p.llcm[off:])
		return
	}
	if !p.m.banks {
		p.rests("a Read")
	}
	copy(b, p.host[int(off)-p.m.limits.LLCM:])
}

func (p *modelPort) Fill(off dimmnet.Offset, b []byte) {
	p.m.limits.CheckFill(off, len(b))
	if !p.m.banks {
		p.rests("a Fill")
	}
	copy(p.host[int(off)-p.m.limits.LLCM:], b)
}

func (p *modelPort) Flip() {
	p.rests("a Flip")
	p.host, p.network = p.network, p.host
}
