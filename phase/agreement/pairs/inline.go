package pairs

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Inline sends a list that wants at most one variable as a word (Area). Other lists follow their
// word through rings, as a Protocol sends them. A phase that ends as a meeting, or as a turn
// (turn.go), needs no more than the words, and no plan.
type Inline struct {
	Protocol
	port     dimmnet.Port
	rank     dimmnet.Rank
	peers    []dimmnet.Rank
	area     Area
	requests requests
	polls    bool
	everyone []bool             // by rank: true
	some     []bool             // by rank; reused by without
	prefetch dimmnet.Prefetcher // the port, or nil

	attachment []byte              // goes with this rank's request, or is being read
	offered    []syncvar.ID        // at most one: the variable that a block could carry now
	sought     map[syncvar.ID]bool // whether the peer wanted a variable when it was last offered
}

var _ agreement.Quick = (*Inline)(nil)

// NewInline returns the Inline of the rank of m, with words in area. polls says that posts land in
// the memory of their receivers at once: then Poll is worth its time.
func NewInline(m *movement.Mover, cfg Config, area Area, polls bool) *Inline {
	nodes := m.Port.Nodes()
	p := &Inline{
		Protocol: *New(m, cfg), port: m.Port, rank: m.Rank, area: area, requests: newRequests(nodes - 1), polls: polls,
		everyone: slices.Repeat([]bool{true}, nodes), sought: make(map[syncvar.ID]bool),
	}
	p.peers = p.Peers()
	p.requests.list = p.own
	p.prefetch, _ = m.Port.(dimmnet.Prefetcher)
	return p
}

// Begin enters a phase. It posts the requests if Poll is going to look for others.
func (p *Inline) Begin(l *syncvar.List) (sent bool, err error) {
	p.m.Begin()
	agreement.Declare(l, p.own, p.m.Space, p.m.Phase)
	p.text = p.text[:0]
	if !p.requests.begin(p, l) {
		p.requests.list = p.own
		return false, p.encode(l)
	}
	if !p.polls {
		return false, nil
	}
	if _, done := p.m.Ready(); !done {
		return false, nil
	}
	p.requests.postAll(p)
	return true, nil
}

// Meet enters a phase, and posts its request before it has made a list.
func (p *Inline) Meet(call syncvar.Call, word uint64) *syncvar.List {
	l := p.own
	if !p.same || l.Declared != uint32(p.m.Space.Declared()) {
		return nil
	}
	p.m.Begin()
	l.Meet(call, p.m.Phase, word)
	p.text = p.text[:0]
	p.requests.announce(p, l)
	return l
}

// Send leaves the requests to Step.
func (p *Inline) Send() error { return nil }

// shortPolls bounds the polls of Poll. They take about as long as requests need that ranks on
// different processors post at the same time.
const shortPolls = 200

// Polls reports whether posts land at once.
func (p *Inline) Polls() bool { return p.polls }

// Poll takes the requests of a phase as they land.
func (p *Inline) Poll() (decided, moves bool, err error) {
	for range shortPolls {
		if _, err := p.requests.step(p); err != nil {
			return false, false, err
		}
		if p.m.Queued() {
			break // a list follows through a ring, which the loop steps
		}
		if !p.requests.pending(p) {
			moves, err = p.Decide()
			return true, moves, err
		}
	}
	return false, false, nil
}

// Step posts and takes requests.
func (p *Inline) Step() (progress bool, err error) { return p.requests.step(p) }

// Pending reports whether requests are still to be posted or to land.
func (p *Inline) Pending() bool { return p.requests.pending(p) }

// Decide ends the phase if nothing has to move. Otherwise it derives the plan, as a Protocol does.
func (p *Inline) Decide() (moves bool, err error) {
	if p.met() {
		return false, nil
	}
	if done, err := p.turn(); done || err != nil {
		return false, err
	}
	p.keepOwn()
	if err := p.requests.decode(p); err != nil {
		return false, err
	}
	if err := p.plan(); err != nil {
		return false, err
	}
	if p.prefetch != nil && p.outcome.Granted[p.rank] && p.m.Space.IsOneCopy() {
		p.prefetchGranted()
	}
	if err := p.takeAttached(); err != nil {
		return false, err
	}
	if p.move(); p.m.Quiet() {
		p.Finish()
		return false, nil
	}
	return true, nil
}

// keepOwn keeps this rank's list if it went as a word: then the caller still owns it.
func (p *Inline) keepOwn() {
	if l := p.requests.list; l != p.own {
		*p.own = *l
		p.requests.list = p.own
	}
}

// met ends a phase in which all ranks have sent the same request and meet in the same call. It
// does the work of plan and Finish. If there is more to do, it does nothing and returns false.
func (p *Inline) met() (done bool) {
	r := &p.requests
	if !r.meets || r.alike < len(p.peers) || !p.same {
		return false
	}
	call := r.list.Call
	if call == syncvar.Update && !p.m.Space.IsOneCopy() {
		return false // data may have to move
	}
	p.offered = nil // the contents were not attached
	if r.reduce {
		p.own.Word = r.list.Word
		for _, from := range p.peers {
			p.outcome.Lists[from].Word = p.port.Load(p.area.value(p.rank, from, p.m.Phase))
		}
	}
	p.table.SettleAll()
	if call == syncvar.Update {
		p.table.ApplyUpdate()
	}
	p.outcome.Complete = call
	return true
}

// List returns this rank's list.
func (p *Inline) List() *syncvar.List { return p.requests.list }

// Open returns how many requests are still to be posted or to land.
func (p *Inline) Open() int { return len(p.requests.due) + len(p.peers) - p.requests.posted }

// Due appends the ranks whose requests have not landed.
func (p *Inline) Due(ranks []dimmnet.Rank) []dimmnet.Rank {
	for _, i := range p.requests.due {
		ranks = append(ranks, p.peers[i])
	}
	return ranks
}
