package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// bulk moves the casts of a phase that this rank takes part in. It goes from
// round to round: a round is the next few messages of the plan, as many as the
// bulk memory holds.
type bulk struct {
	port   dimmnet.Port
	words  words
	memory span // the bulk memory, as far as a message can fill it
	piece  int  // bytes of the largest PUSH
	least  int  // guarded bytes that make a cast go by PUSH

	parts []*part // what is left of this phase, in the plan's order
	round []*part // the front of parts whose messages are under way; empty between rounds
	moved map[source]bool
	wire  []byte // a manifest
}

// pieceMost bounds a PUSH, so that ranks that pass a message on follow closely. The
// next PUSH begins some 2 us after the end of one; 64 KiB take 131 us at 500 MB/s.
const pieceMost = 64 << 10

// realPieceMost is the same on real ports, where a PUSH begins two passages after the end
// of the one before.
const realPieceMost = 4 << 20

// newBulk is that of a port; real says that its clock is.
func newBulk(p dimmnet.Port, w words, real bool) *bulk {
	limits := p.Limits()
	const most = 1<<32 - dimmnet.WordBytes // the bytes of a notice have 32 bits
	piece := pieceMost
	if real {
		piece = realPieceMost
	}
	return &bulk{
		port:   p,
		words:  w,
		memory: span{dimmnet.Offset(limits.LLCM), min(limits.Bulk, most) &^ (dimmnet.WordBytes - 1)},
		piece:  min(limits.RDMA, piece) &^ (dimmnet.WordBytes - 1),
		moved:  make(map[source]bool),
	}
}

// carries says whether what t names goes by PUSH in this phase, as far as this
// rank takes part in it.
func (b *bulk) carries(t source) bool { return b != nil && b.moved[t] }

func (b *bulk) pending() bool { return b != nil && len(b.parts) > 0 }

// prepare makes this rank's parts in the casts of a plan.
func (b *bulk) prepare(e *Engine, casts []cast) {
	clear(b.moved)
	for i := range casts {
		p := newPart(b.port.Rank(), &casts[i])
		if p == nil {
			continue
		}
		// Only ranks that have bound a variable take part in its casts: so all that do
		// come to the same sums.
		guarded, pieces := 0, 0
		for _, item := range p.items {
			n, most := e.space.Extent(item.id)
			guarded, pieces = guarded+n, pieces+most
		}
		if guarded < b.least {
			continue
		}
		p.most = mostBytes(guarded, pieces)
		for _, item := range p.items {
			b.moved[item] = true
			if p.root {
				p.queue = append(p.queue, e.space.Cuts(item.id, item.since, e.table.State(item.id).Version)...)
				continue
			}
			s := e.newStream(item.id, p.from)
			p.streams = append(p.streams, s)
			e.arriving = append(e.arriving, s)
		}
		b.parts = append(b.parts, p)
	}
}

// step moves the present round on, or begins the next.
func (b *bulk) step(e *Engine) (progress bool, err error) {
	if !b.pending() {
		return false, nil
	}
	if len(b.round) == 0 {
		b.begin(e)
		return true, nil
	}
	quiet := true
	for _, p := range b.round {
		moved, err := p.step(e)
		if err != nil {
			return false, err
		}
		progress = progress || moved
		quiet = quiet && p.quiet()
	}
	if quiet {
		return true, b.end(e)
	}
	return progress, nil
}

// begin begins a round. It takes messages without leaving one out, in the
// plan's order: the package comment says why.
func (b *bulk) begin(e *Engine) {
	free, filled := b.memory, false
	for _, p := range b.parts {
		n := p.reserve(b.memory.n)
		if n > free.n {
			break
		}
		p.begin(free.lo)
		if p.root {
			b.fill(e, p)
			filled = true
		}
		b.round = append(b.round, p)
		free.lo += dimmnet.Offset(n)
		free.n -= n
		if !p.surelyLast(b.memory.n) {
			break // its next message comes before those of later casts
		}
	}
	if filled {
		// Nobody pushes into this rank: it has granted nothing yet in this round, and
		// what it granted before has come.
		b.port.Flip()
	}
}

// fill puts a message into the own bulk memory, on the host's side.
func (b *bulk) fill(e *Engine, p *part) {
	b.wire = appendManifest(b.wire[:0], p.message)
	b.port.Fill(p.place, b.wire)
	at := p.place + dimmnet.Offset(len(b.wire))
	for _, c := range p.message {
		b.port.Fill(at, e.space.Bytes(c.Range))
		at += dimmnet.Offset(padded(c.Len()))
	}
}

// end ends a round in which nothing is under way any more: what has come is
// read, from the host's side.
func (b *bulk) end(e *Engine) error {
	flipped := false
	rest := b.parts[:0]
	for i, p := range b.parts {
		if i >= len(b.round) {
			rest = append(rest, p)
			continue
		}
		if !p.root {
			if !flipped {
				b.port.Flip()
				flipped = true
			}
			if err := p.land(e); err != nil {
				return fmt.Errorf("phase: a message of rank %d: %w", p.from, err)
			}
		}
		if !p.come.last {
			p.end()
			rest = append(rest, p)
		}
	}
	clear(b.parts[len(rest):])
	b.parts, b.round = rest, b.round[:0]
	return nil
}
