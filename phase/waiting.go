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
	*w = syncvar.Wait{Phased: e.state != between, Phase: e.mover.Phase, Ranks: w.Ranks[:0], Owners: w.Owners[:0]}
	if !w.Phased {
		return
	}
	what, ranks := "the data of ranks", e.due(e.waits.ranks[:0])
	if e.state == gather {
		what = "the lists of ranks"
	}
	if len(ranks) == 0 {
		what, ranks = e.mover.Full(ranks)
		ranks = e.agreement.Full(ranks)
	}
	if len(ranks) == 0 {
		what, ranks = e.mover.Blocked(ranks)
	}
	e.waits.ranks = ranks
	if len(ranks) > 0 {
		*w = w.From(what, ranks)
	}
	own := e.agreement.List()
	for _, ids := range [][]syncvar.ID{own.Shared, own.Exclusive, own.Awaits} {
		for _, id := range ids[:min(len(ids), syncvar.WaitOwners-len(w.Owners))] {
			w.Owners = append(w.Owners, syncvar.Holding{ID: id, Owner: e.agreement.Owner(id)})
		}
	}
}

func (e *Engine) due(ranks []dimmnet.Rank) []dimmnet.Rank {
	if e.state == gather {
		ranks = e.agreement.Due(ranks)
	}
	return e.mover.Due(ranks)
}

// waits holds the last Wait that an engine has recorded.
type waits struct {
	state state // of the engine when wait was recorded; phase and open likewise
	phase uint64
	open  int            // how many lists and queues were open
	ranks []dimmnet.Rank // reused

	mu   sync.Mutex // guards wait
	wait syncvar.Wait
}

// LastWait returns what the rank waited for when it last had nothing to do. Unlike all other
// methods, it may be called by any goroutine. While the rank waits for more than syncvar.WaitRanks
// ranks, data that arrive from one of them do not update the result.
func (e *Engine) LastWait() syncvar.Wait {
	e.waits.mu.Lock()
	defer e.waits.mu.Unlock()
	w := e.waits.wait
	w.Ranks, w.Owners = slices.Clone(w.Ranks), slices.Clone(w.Owners)
	return w
}

func (e *Engine) recordWait() {
	s, phase, open := &e.waits, e.mover.Phase, e.agreement.Open()+e.mover.Open()
	if s.phase == phase && s.state == e.state && !e.mover.Working() && (open == s.open || open > syncvar.WaitRanks) {
		return
	}
	s.phase, s.state, s.open = phase, e.state, open
	s.mu.Lock()
	defer s.mu.Unlock()
	e.describe(&s.wait)
}

// waitPort wraps the port of an engine. Before each Idle it records what the rank waits for,
// except while the port is awake, because then the engine only polls.
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
