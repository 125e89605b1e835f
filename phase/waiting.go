package phase

import (
	"slices"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Waiting returns what the rank waits for now.
func (e *Engine) Waiting() (w syncvar.Wait) {
	e.describe(&w)
	return w
}

func (e *Engine) describe(w *syncvar.Wait) {
	*w = syncvar.Wait{Phased: e.state != between, Phase: e.phase, Ranks: w.Ranks[:0], Owners: w.Owners[:0]}
	if !w.Phased {
		return
	}
	what, ranks := "the data of ranks", e.due(e.waits.ranks[:0])
	if e.state == gather {
		what = "the lists of ranks"
	}
	if len(ranks) == 0 {
		what, ranks = e.method.fullQueue(), e.full(ranks)
	}
	if len(ranks) == 0 {
		what, ranks = e.method.blocked(ranks)
	}
	e.waits.ranks = ranks
	if len(ranks) > 0 {
		*w = w.From(what, ranks)
	}
	own := e.own
	owner := func(id syncvar.ID) dimmnet.Rank { return e.table.State(id).Owner }
	if e.tree.Arity > 0 {
		owner = e.replica.owner
	}
	for _, ids := range [][]syncvar.ID{own.Shared, own.Exclusive} {
		for _, id := range ids[:min(len(ids), syncvar.WaitOwners-len(w.Owners))] {
			w.Owners = append(w.Owners, syncvar.Holding{ID: id, Owner: owner(id)})
		}
	}
}

func (e *Engine) due(ranks []dimmnet.Rank) []dimmnet.Rank {
	if e.state == gather {
		for _, due := range [...][]int{e.requests.due, e.signals.due} {
			for _, i := range due {
				ranks = append(ranks, e.peers[i])
			}
		}
	}
	for i, r := range e.peers {
		if e.in[i].state != inIdle || e.in[i].data.pending() {
			ranks = append(ranks, r)
		}
	}
	return e.method.due(ranks)
}

func (e *Engine) full(ranks []dimmnet.Rank) []dimmnet.Rank {
	for i, r := range e.peers {
		if e.out[i].pending() {
			ranks = append(ranks, r)
		}
	}
	for _, s := range e.signals.out {
		ranks = append(ranks, s.to)
	}
	return ranks
}

// waits holds the last Wait that an engine has recorded.
type waits struct {
	state state // of the engine when wait was recorded; phase and open likewise
	phase uint64
	open  int            // the result of Engine.open
	ranks []dimmnet.Rank // reused

	mu   sync.Mutex // guards wait
	wait syncvar.Wait
}

// LastWait returns what the rank waited for when it last had nothing to do. Unlike all other
// methods it may be called by any goroutine. While the rank waits for more than syncvar.WaitRanks
// ranks, the result is not updated when data of one of these ranks arrive.
func (e *Engine) LastWait() syncvar.Wait {
	e.waits.mu.Lock()
	defer e.waits.mu.Unlock()
	w := e.waits.wait
	w.Ranks, w.Owners = slices.Clone(w.Ranks), slices.Clone(w.Owners)
	return w
}

func (e *Engine) recordWait() {
	s, open := &e.waits, e.open()
	if s.phase == e.phase && s.state == e.state && !e.method.pending() && (open == s.open || open > syncvar.WaitRanks) {
		return
	}
	s.phase, s.state, s.open = e.phase, e.state, open
	s.mu.Lock()
	defer s.mu.Unlock()
	e.describe(&s.wait)
}

func (e *Engine) open() (n int) {
	if e.inline.peers > 0 {
		n = len(e.requests.due) + len(e.peers) - e.requests.posted
	}
	for i := range e.peers {
		if e.out[i].pending() || e.in[i].pending() {
			n++
		}
	}
	return n + len(e.signals.due) + len(e.signals.out)
}

// waitPort wraps the port of an engine. Before each Idle it records what the rank waits for, except
// while the port is awake, because then the engine only polls.
type waitPort struct {
	dimmnet.Port
	engine *Engine
}

// Idle records what the rank waits for and calls Idle of the port.
func (w *waitPort) Idle(since dimmnet.Mark) {
	if since != dimmnet.Awake {
		w.engine.recordWait()
	}
	w.Port.Idle(since)
}
