package movement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Push is the method of a port with RDMA and bulk memory. It moves multicasts by PUSH, in rounds:
// a round is the next few messages of the plan, as many as the bulk memory holds. Transfers whose
// multicast is too small, or finds no words, go through rings.
//
// The state of a message is in its role and in its hops.
//
// Where ranks can read each other's memory (Config.Views), a multicast of small variables is no
// message: each receiver copies them from their owner's memory, as method fetch does.
type Push struct {
	rings
	Config PushConfig
	memory span // the bulk memory that messages may use
	piece  int  // bytes of the largest PUSH

	cleared int  // how many words of the grant and notice rows are empty; see ready
	posted  bool // the Store that empties the next of them is posted

	roles    []*role            // unfinished in this phase, in the order of the plan
	standing *Standing          // grants of this phase
	copies   []wholeCopy        // that this rank has to make in this phase
	foreseen bool               // Foresee has prepared roles and copies: the phase may not repeat
	round    []*role            // the first few of roles: their messages are under way
	first    int                // the index in round of the role that steps first
	moved    map[Source]bool    // the sources that go by PUSH in this phase
	rest     []syncvar.Transfer // the transfers that go through rings; reused
	manifest []byte             // reused
}

// PushConfig configures a Push.
type PushConfig struct {
	Words   PushWords
	Live    bool // the port's clock is real
	Least   int  // multicasts of variables that guard fewer bytes go through rings
	Whole   int  // variables of up to so many bytes are copied from their owner's memory
	Repeats bool // phases may repeat: grants may stand (Standing)
}

// CanPush reports whether a port with such limits can have the method.
func CanPush(l dimmnet.Limits) bool { return l.RDMA >= dimmnet.WordBytes && l.Bulk >= minMessage }

// wholeCopy is a variable that this rank copies from its owner's memory. This rank counts the
// transfer, because the owner does nothing for it.
type wholeCopy struct {
	id    syncvar.ID
	owner dimmnet.Rank
}

// pieceMost is the size of the largest PUSH. Small PUSHes let a rank pass on a message early. The
// pause between two PUSHes is about 2 us, and 64 KiB take 131 us at 500 MB/s.
const pieceMost = 64 << 10

// livePieceMost is the size of the largest PUSH on live ports, where a PUSH begins two network
// latencies after the end of the PUSH before.
const livePieceMost = 4 << 20

func newPush(m *Mover, cfg PushConfig) *Push {
	limits := m.Port.Limits()
	const most = 1<<32 - dimmnet.WordBytes // a notice has 32 bits for its bytes
	piece := pieceMost
	if cfg.Live {
		piece = livePieceMost
	}
	return &Push{
		rings:  rings{mover: m},
		Config: cfg,
		memory: span{dimmnet.Offset(limits.LLCM), min(limits.Bulk, most) &^ (dimmnet.WordBytes - 1)},
		piece:  min(limits.RDMA, piece) &^ (dimmnet.WordBytes - 1),
		moved:  make(map[Source]bool),
	}
}

// Words returns how many hops of a plan can have words.
func (b *Push) Words() int { return b.Config.Words.count }

func (b *Push) pending() bool { return len(b.roles)+len(b.copies) > 0 && !b.foreseen }

// ready empties this rank's grant and notice words once in clearPhases phases. No word of an
// earlier phase is in flight, because this rank has read the last word of every hop.
func (b *Push) ready() (progress, done bool) {
	if b.mover.Phase == 0 || b.mover.Phase%clearPhases != 0 {
		b.cleared = 0
		return false, true
	}
	port := b.mover.Port
	for ; b.cleared < 2*b.Config.Words.count; b.cleared++ {
		at := b.Config.Words.grant(b.cleared / 2)
		if b.cleared%2 == 1 {
			at = b.Config.Words.notice(b.cleared / 2)
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

func (b *Push) assign(transfers []syncvar.Transfer) (queued []syncvar.Transfer) {
	numbered, _ := NewMulticasts(transfers, b.Config.Words.count, 0)
	b.prepare(numbered, new(Standing))
	b.rest = b.rest[:0]
	for _, t := range transfers {
		if !b.moved[Source{t.ID, t.Since}] {
			b.rest = append(b.rest, t)
		}
	}
	return b.rest
}

// Prepare prepares this rank's roles in multicasts, which move from now on.
func (b *Push) Prepare(multicasts []Multicast, s *Standing) {
	b.mover.moving = true
	b.prepare(multicasts, s)
}

func (b *Push) prepare(multicasts []Multicast, s *Standing) {
	m := b.mover
	b.standing = s
	clear(b.moved)
	for i := range multicasts {
		r := newRole(m.Rank, &multicasts[i])
		if r == nil {
			continue
		}
		if b.small(r.items) {
			for _, item := range r.items {
				if !r.root {
					b.copies = append(b.copies, wholeCopy{item.ID, multicasts[i].Owner})
				}
			}
			continue
		}
		// All ranks of the multicast have bound its variables, so they get the same sums.
		guarded, pieces := 0, 0
		for _, item := range r.items {
			n, most := m.Space.Extent(item.ID)
			guarded, pieces = guarded+n, pieces+most
		}
		if guarded < b.Config.Least {
			continue
		}
		r.most = mostBytes(guarded, pieces)
		for _, item := range r.items {
			b.moved[item] = true
			if r.root {
				r.queue = m.Space.AppendCuts(r.queue, item.ID, item.Since, m.agreement.Moved(item.ID))
				continue
			}
			s := m.newStream(item.ID, r.from)
			r.streams = append(r.streams, s)
			m.arriving = append(m.arriving, s)
		}
		b.roles = append(b.roles, r)
	}
	s.fits = b.Config.Repeats && b.fits()
}

// small reports whether receivers copy the whole variables of a multicast. All its ranks agree.
func (b *Push) small(items []Source) bool {
	for _, item := range items {
		if n, _ := b.mover.Space.Extent(item.ID); n > b.Config.Whole {
			return false
		}
	}
	return true
}

func (b *Push) step() (progress bool, err error) {
	if !b.pending() {
		return false, nil
	}
	if last := len(b.copies) - 1; last >= 0 {
		b.mover.CopyWhole(b.copies[last].id, b.copies[last].owner)
		b.mover.Counts.Transfers++
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
func (b *Push) begin() {
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
		if next := len(r.hops) > 0 && r.hops[0].to > b.mover.Rank; next && b.first < 0 && b.Config.Repeats {
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
		b.mover.Port.Flip()
	}
}

func (b *Push) fill(r *role) {
	b.manifest = appendManifest(b.manifest[:0], r.message)
	b.mover.Port.Fill(r.offset, b.manifest)
	at := r.offset + dimmnet.Offset(len(b.manifest))
	for _, c := range r.message {
		b.mover.Charge(dimmnet.Give, c.Len())
		b.mover.Port.Fill(at, b.mover.Space.Bytes(c.Range))
		at += dimmnet.Offset(Padded(c.Len()))
	}
}

// end ends a round in which nothing is under way. The host reads the messages that have arrived.
func (b *Push) end() error {
	flipped := false
	rest := b.roles[:0]
	for i, r := range b.roles {
		if i >= len(b.round) {
			rest = append(rest, r)
			continue
		}
		if !r.root {
			if !flipped {
				b.mover.Port.Flip()
				flipped = true
			}
			if err := r.read(b.mover); err != nil {
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

func (b *Push) due(ranks []dimmnet.Rank) []dimmnet.Rank {
	if b.foreseen {
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
// appends the ranks from which messages have not landed.
func (b *Push) blocked(ranks []dimmnet.Rank) (what string, _ []dimmnet.Rank) {
	before := len(ranks)
	ranks = b.hopsTo(ranks, func(h *hop) bool { return h.state == hopGrant })
	if len(ranks) > before {
		return "room for a PUSH at ranks", ranks
	}
	return "its PUSHes to land at ranks", b.hopsTo(ranks, func(h *hop) bool { return !h.quiet() })
}

// hopsTo appends the destinations of the hops in the present round that the predicate accepts.
func (b *Push) hopsTo(ranks []dimmnet.Rank, is func(*hop) bool) []dimmnet.Rank {
	for _, r := range b.round {
		for i := range r.hops {
			if h := &r.hops[i]; is(h) {
				ranks = append(ranks, h.to)
			}
		}
	}
	return ranks
}
