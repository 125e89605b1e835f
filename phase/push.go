package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// push is the method of a port with RDMA and bulk memory. It moves multicasts by PUSH, in rounds:
// a round is the next few messages of the plan, as many as the bulk memory holds. Transfers whose
// multicast is too small, or finds no words, go through rings.
//
// The state of a message is in its role and in its hops.
//
// Where ranks can read each other's memory (Config.Views), a multicast of small variables is no
// message: each receiver copies them from the memory of their owner, as method fetch does.
type push struct {
	rings
	words  pushWords
	memory span // the bulk memory that messages may use
	piece  int  // bytes of the largest PUSH
	least  int  // a multicast goes by PUSH if its variables guard so many bytes
	whole  int  // the size of the largest variable that receivers copy from its owner; 0: none

	cleared int  // how many words of the grant and notice rows are empty; see ready
	posted  bool // the Store that empties the next of them is posted

	roles    []*role            // unfinished in this phase, in the order of the plan
	standing *standing          // grants of this phase
	copies   []wholeCopy        // that this rank has to make in this phase
	held     bool               // roles and copies are foreseen: the phase may not repeat
	round    []*role            // the first few of roles: their messages are under way
	first    int                // the index in round of the role that steps first
	moved    map[source]bool    // the sources that go by PUSH in this phase
	rest     []syncvar.Transfer // the transfers that go through rings; reused
	manifest []byte             // reused
}

// wholeCopy is a variable that this rank copies from the memory of its owner. This rank counts the
// transfer, because the owner takes no step for it.
type wholeCopy struct {
	id    syncvar.ID
	owner dimmnet.Rank
}

// pieceMost is the size of the largest PUSH. Small PUSHes let a rank pass a message on early. The
// pause between two PUSHes is some 2 us, and 64 KiB take 131 us at 500 MB/s.
const pieceMost = 64 << 10

// livePieceMost is the size of the largest PUSH on live ports, where a PUSH begins two network
// latencies after the end of the PUSH before.
const livePieceMost = 4 << 20

func newPush(e *Engine, w pushWords, live bool) *push {
	limits := e.port.Limits()
	const most = 1<<32 - dimmnet.WordBytes // a notice has 32 bits for its bytes
	piece := pieceMost
	if live {
		piece = livePieceMost
	}
	return &push{
		rings:  rings{e: e},
		words:  w,
		memory: span{dimmnet.Offset(limits.LLCM), min(limits.Bulk, most) &^ (dimmnet.WordBytes - 1)},
		piece:  min(limits.RDMA, piece) &^ (dimmnet.WordBytes - 1),
		moved:  make(map[source]bool),
	}
}

func (b *push) pending() bool { return len(b.roles)+len(b.copies) > 0 && !b.held }

// ready empties this rank's grant and notice words, once in clearPhases phases. No word of an
// earlier phase is in flight, because this rank has read the last word of every hop.
func (b *push) ready() (progress, done bool) {
	if b.e.phase == 0 || b.e.phase%clearPhases != 0 {
		b.cleared = 0
		return false, true
	}
	port := b.e.port
	for ; b.cleared < 2*b.words.count; b.cleared++ {
		at := b.words.grant(b.cleared / 2)
		if b.cleared%2 == 1 {
			at = b.words.notice(b.cleared / 2)
		}
		if port.Load(at) != 0 {
			if !b.posted {
				b.posted = port.Store(port.Rank(), at, 0, dimmnet.WordBytes)
				progress = progress || b.posted
			}
			return progress, false
		}
		b.posted, progress = false, true
	}
	return progress, true
}

func (b *push) assign(plan *Plan) (queued []syncvar.Transfer) {
	numbered, _ := newMulticasts(plan.Transfers, b.words.count, 0)
	b.prepare(numbered, new(standing))
	b.rest = b.rest[:0]
	for _, t := range plan.Transfers {
		if !b.moved[source{t.ID, t.Since}] {
			b.rest = append(b.rest, t)
		}
	}
	return b.rest
}

// prepare prepares this rank's roles in multicasts.
func (b *push) prepare(multicasts []multicast, s *standing) {
	e := b.e
	b.standing = s
	clear(b.moved)
	for i := range multicasts {
		r := newRole(e.rank, &multicasts[i])
		if r == nil {
			continue
		}
		if b.small(r.items) {
			for _, item := range r.items {
				if !r.root {
					b.copies = append(b.copies, wholeCopy{item.id, multicasts[i].owner})
				}
			}
			continue
		}
		// All ranks of the multicast have bound its variables, so they get the same sums.
		guarded, pieces := 0, 0
		for _, item := range r.items {
			n, most := e.space.Extent(item.id)
			guarded, pieces = guarded+n, pieces+most
		}
		if guarded < b.least {
			continue
		}
		r.most = mostBytes(guarded, pieces)
		for _, item := range r.items {
			b.moved[item] = true
			if r.root {
				r.queue = e.space.AppendCuts(r.queue, item.id, item.since, e.version(item.id))
				continue
			}
			s := e.newStream(item.id, r.from)
			r.streams = append(r.streams, s)
			e.arriving = append(e.arriving, s)
		}
		b.roles = append(b.roles, r)
	}
	s.fits = e.tree.Arity > 0 && b.fits()
}

// small reports whether receivers copy the variables of a multicast whole. All its ranks agree.
func (b *push) small(items []source) bool {
	for _, item := range items {
		if n, _ := b.e.space.Extent(item.id); n > b.whole {
			return false
		}
	}
	return true
}

func (b *push) step() (progress bool, err error) {
	if !b.pending() {
		return false, nil
	}
	if last := len(b.copies) - 1; last >= 0 {
		b.e.copyWhole(b.copies[last].id, b.copies[last].owner)
		b.e.counts.Transfers++
		b.copies = b.copies[:last]
		return true, nil
	}
	if len(b.round) == 0 {
		b.begin()
		return true, nil
	}
	quiet := true
	for i := range b.round {
		r := b.round[(b.first+i)%len(b.round)]
		moved, err := r.step(b)
		if err != nil {
			return false, err
		}
		progress = progress || moved
		quiet = quiet && r.quiet()
	}
	if quiet {
		return true, b.end()
	}
	return progress, nil
}

// begin takes messages in the order of the plan and leaves none out: see the package comment.
func (b *push) begin() {
	free, filled := b.memory, false
	b.first = -1
	for _, r := range b.roles {
		n := r.reserve(b.memory.n)
		if n > free.n {
			break
		}
		r.begin(free.place(n, r.root), b.standing.given)
		if r.root {
			b.fill(r)
			filled = true
		}
		if next := len(r.hops) > 0 && r.hops[0].to > b.e.rank; next && b.first < 0 && b.e.tree.Arity > 0 {
			b.first = len(b.round)
		}
		b.round = append(b.round, r)
		if !r.surelyLast(b.memory.n) {
			break // its next message comes before the messages of later multicasts
		}
	}
	b.first = max(b.first, 0)
	if filled {
		// No peer pushes into this rank now: this rank has granted no message in this round,
		// and all messages that it granted before have arrived.
		b.e.port.Flip()
	}
}

func (b *push) fill(r *role) {
	b.manifest = appendManifest(b.manifest[:0], r.message)
	b.e.port.Fill(r.offset, b.manifest)
	at := r.offset + dimmnet.Offset(len(b.manifest))
	for _, c := range r.message {
		b.e.charge(dimmnet.Give, c.Len())
		b.e.port.Fill(at, b.e.space.Bytes(c.Range))
		at += dimmnet.Offset(padded(c.Len()))
	}
}

// end ends a round in which nothing is under way. The host reads the messages that have arrived.
func (b *push) end() error {
	flipped := false
	rest := b.roles[:0]
	for i, r := range b.roles {
		if i >= len(b.round) {
			rest = append(rest, r)
			continue
		}
		if !r.root {
			if !flipped {
				b.e.port.Flip()
				flipped = true
			}
			if err := r.read(b.e); err != nil {
				return fmt.Errorf("phase: a message of rank %d: %w", r.from, err)
			}
		}
		if !r.here.last {
			r.end()
			rest = append(rest, r)
		}
	}
	clear(b.roles[len(rest):])
	b.roles, b.round = rest, b.round[:0]
	return nil
}

func (b *push) due(ranks []dimmnet.Rank) []dimmnet.Rank {
	if b.held {
		return ranks
	}
	for _, r := range b.round {
		if !r.here.ends {
			ranks = append(ranks, r.from)
		}
	}
	return ranks
}

// blocked appends the ranks that have not granted a message of the present round. If all have, it
// appends the ranks whose messages have not landed.
func (b *push) blocked(ranks []dimmnet.Rank) (what string, _ []dimmnet.Rank) {
	before := len(ranks)
	ranks = b.hopsTo(ranks, func(h *hop) bool { return h.state == hopGrant })
	if len(ranks) > before {
		return "room for a PUSH at ranks", ranks
	}
	return "its PUSHes to land at ranks", b.hopsTo(ranks, func(h *hop) bool { return !h.quiet() })
}

// hopsTo appends the destination of every hop of the present round that the predicate accepts.
func (b *push) hopsTo(ranks []dimmnet.Rank, is func(*hop) bool) []dimmnet.Rank {
	for _, r := range b.round {
		for i := range r.hops {
			if h := &r.hops[i]; is(h) {
				ranks = append(ranks, h.to)
			}
		}
	}
	return ranks
}
