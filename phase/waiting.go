package phase

import (
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Waiting says what the rank waits for now.
func (e *Engine) Waiting() (w syncvar.Wait) {
	e.describe(&w)
	return w
}

// describe fills in what the rank waits for.
func (e *Engine) describe(w *syncvar.Wait) {
	*w = syncvar.Wait{Phased: e.state != between, Phase: e.phase, Ranks: w.Ranks[:0], Owners: w.Owners[:0]}
	if !w.Phased {
		return
	}
	words, ranks := "the data of ranks", e.due(e.seen.ranks[:0])
	if e.state == gather {
		words = "the lists of ranks"
	}
	if len(ranks) == 0 {
		words, ranks = "free slots at ranks", e.full(ranks)
		if e.giver != nil {
			words = "room at ranks"
		}
	}
	if len(ranks) == 0 {
		words, ranks = "room for a PUSH at ranks", e.bulk.granting(ranks)
	}
	if len(ranks) == 0 {
		words, ranks = "its PUSHes to land at ranks", e.bulk.landing(ranks)
	}
	e.seen.ranks = ranks
	if len(ranks) > 0 {
		*w = w.From(words, ranks)
	}
	own := &e.lists[e.port.Rank()]
	for _, ids := range [][]syncvar.ID{own.Shared, own.Exclusive} {
		for _, id := range ids[:min(len(ids), syncvar.WaitOwners-len(w.Owners))] {
			w.Owners = append(w.Owners, syncvar.Holding{ID: id, Owner: e.table.State(id).Owner})
		}
	}
}

// due adds the ranks of which lists or data are to come.
func (e *Engine) due(ranks []dimmnet.Rank) []dimmnet.Rank {
	for i, r := range e.peers {
		if e.in[i].due > 0 || len(e.in[i].taking) > 0 {
			ranks = append(ranks, r)
		}
	}
	if e.bulk != nil {
		for _, p := range e.bulk.round {
			if !p.come.ends {
				ranks = append(ranks, p.from)
			}
		}
	}
	return ranks
}

// full adds the ranks that have not emptied the slots which are needed next.
func (e *Engine) full(ranks []dimmnet.Rank) []dimmnet.Rank {
	for i, r := range e.peers {
		if e.out[i].pending(e, r) {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

// granting adds the ranks that have not granted a PUSH of the present round.
func (b *bulk) granting(ranks []dimmnet.Rank) []dimmnet.Rank {
	return b.to(ranks, func(h *hop) bool { return !h.granted })
}

// landing adds those where one is under way.
func (b *bulk) landing(ranks []dimmnet.Rank) []dimmnet.Rank {
	return b.to(ranks, func(h *hop) bool { return h.granted && !h.quiet() })
}

func (b *bulk) to(ranks []dimmnet.Rank, is func(*hop) bool) []dimmnet.Rank {
	if b == nil {
		return ranks
	}
	for _, p := range b.round {
		for i := range p.hops {
			if h := &p.hops[i]; is(h) {
				ranks = append(ranks, h.to)
			}
		}
	}
	return ranks
}

// seen is what other goroutines may know of an engine's waiting.
type seen struct {
	state state // of which wait tells, and its phase
	phase uint64
	open  int            // peers that were waited for then
	ranks []dimmnet.Rank // reused

	mu   sync.Mutex // of what follows
	wait syncvar.Wait
}

// LastWait says what the rank waited for when it last found nothing to do. Unlike all
// other methods it may be called by any goroutine. Of many ranks it knows how many it
// was when it began to wait, of up to syncvar.WaitRanks each one.
func (e *Engine) LastWait() syncvar.Wait {
	e.seen.mu.Lock()
	defer e.seen.mu.Unlock()
	w := e.seen.wait
	w.Ranks, w.Owners = slices.Clone(w.Ranks), slices.Clone(w.Owners)
	return w
}

// note tells other goroutines what the rank waits for, if that is news.
func (e *Engine) note() {
	s, open := &e.seen, e.open()
	if s.phase == e.phase && s.state == e.state && !e.bulk.pending() && (open == s.open || open > syncvar.WaitRanks) {
		return
	}
	s.phase, s.state, s.open = e.phase, e.state, open
	s.mu.Lock()
	defer s.mu.Unlock()
	e.describe(&s.wait)
}

// open counts the peers to and from which something is pending.
func (e *Engine) open() (n int) {
	for i, r := range e.peers {
		if e.out[i].pending(e, r) || e.in[i].pending() {
			n++
		}
	}
	return n
}

// noted is the port of an engine, which tells what it waits for before it does. What a
// rank waits for is nobody's business as long as the port is awake.
type noted struct {
	dimmnet.Port
	engine *Engine
}

// Idle is that of the port.
func (n *noted) Idle(since dimmnet.Mark) {
	if since != dimmnet.Awake {
		n.engine.note()
	}
	n.Port.Idle(since)
}
