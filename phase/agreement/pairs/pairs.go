package pairs

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Config configures a Protocol.
type Config struct {
	Observer syncvar.Observer
	First    syncvar.Version // the version of all variables before any tenure
}

// Protocol sends lists through rings.
type Protocol struct {
	m        *movement.Mover
	outcome  agreement.Outcome
	observer syncvar.Observer
	table    syncvar.Table
	granting syncvar.Granting
	own      *syncvar.List // the list of this rank in outcome.Lists
	text     []byte        // the encoded list of this rank, if it goes through rings
	words    []uint64      // reused

	declarations agreement.Declarations
	same         bool // all ranks had equally many declarations in the last lists of rings
}

var _ agreement.Protocol = (*Protocol)(nil)

// New returns the Protocol of the rank of m.
func New(m *movement.Mover, cfg Config) *Protocol {
	p := &Protocol{m: m, observer: cfg.Observer}
	p.table.StartAt(cfg.First)
	p.outcome.Lists = make([]syncvar.List, m.Port.Nodes())
	p.outcome.Latest.Known = len(p.outcome.Lists) > 1
	p.own = &p.outcome.Lists[m.Rank]
	return p
}

// Peers returns all other ranks.
func (p *Protocol) Peers() (peers []dimmnet.Rank) {
	for r := range p.outcome.Lists {
		if r := dimmnet.Rank(r); r != p.m.Rank {
			peers = append(peers, r)
		}
	}
	return peers
}

// Begin enters a phase; see agreement.Protocol.
func (p *Protocol) Begin(l *syncvar.List) (sent bool, err error) {
	p.m.Begin()
	agreement.Declare(l, p.own, p.m.Space, p.m.Phase)
	if err := p.encode(l); err != nil {
		return false, err
	}
	for i := range p.m.Peers {
		p.m.ExpectList(i)
	}
	return false, nil
}

// encode keeps the list of this rank, and encodes it for the rings.
func (p *Protocol) encode(l *syncvar.List) error {
	l.Attached = nil // no contents go with a list
	*p.own = *l
	p.text = syncvar.AppendList(p.text[:0], l)
	p.m.Charge(dimmnet.Entry, l.Entries())
	return agreement.CheckSize(p.text)
}

// Send sends the list of this rank to all others.
func (p *Protocol) Send() error {
	for i := range p.m.Peers {
		p.m.SendList(i, p.text)
	}
	return nil
}

// Step does nothing: the Mover has the lists.
func (p *Protocol) Step() (progress bool, err error) { return false, nil }

// Pending returns false: the Mover has the lists.
func (p *Protocol) Pending() bool { return false }

// TakeList takes the list of a rank.
func (p *Protocol) TakeList(from dimmnet.Rank, b []byte) error {
	p.outcome.Latest.Rank = from
	l, err := syncvar.DecodeList(b)
	if err != nil {
		return fmt.Errorf("phase: list of rank %d: %w", from, err)
	}
	if l.Phase != p.m.Phase {
		return fmt.Errorf("phase: rank %d sent its list of phase %d in phase %d", from, l.Phase, p.m.Phase)
	}
	p.m.Charge(dimmnet.Entry, 1+l.Entries())
	p.outcome.Lists[from] = l
	return nil
}

// MaxListBytes bounds the list of a rank.
func (p *Protocol) MaxListBytes() int { return syncvar.MaxListBytes }

// Decide derives the plan from all lists and from the table, and begins to move data.
func (p *Protocol) Decide() (moves bool, err error) {
	if err := p.plan(); err != nil {
		return false, err
	}
	p.move()
	return true, nil
}

func (p *Protocol) plan() (err error) {
	lists := p.outcome.Lists
	if p.m.Queued() { // inline requests repeat the declarations of the phase before
		if p.same, err = p.declarations.Check(p.m.Space, p.m.Rank, lists); err != nil {
			return err
		}
	}
	if err := p.table.Settle(lists); err != nil {
		return err
	}
	table := &p.table
	if p.m.Space.IsOneCopy() {
		table = nil
	}
	if err := p.outcome.Derive(&p.granting, p.m.Phase, lists, table); err != nil {
		return err
	}
	if p.outcome.Complete != 0 {
		if err := agreement.CheckCounts(p.m.Space, p.m.Rank, lists); err != nil {
			return err
		}
	}
	p.m.Charge(dimmnet.Step, len(lists)+len(p.outcome.Transfers))
	return nil
}

// move begins the transfers of the plan.
func (p *Protocol) move() {
	if len(p.outcome.Transfers) > 0 {
		p.observer.On(syncvar.Event{Kind: syncvar.Moving})
	}
	p.m.Move(p.outcome.Transfers)
}

// Finish gives the table the effects of the plan.
func (p *Protocol) Finish() {
	if p.outcome.Complete == syncvar.Update {
		p.table.ApplyUpdate()
	}
	p.table.Apply(p.outcome.Lists, p.outcome.Granted)
}

// Outcome returns where the outcome of the phase is.
func (p *Protocol) Outcome() *agreement.Outcome { return &p.outcome }

// List returns this rank's list.
func (p *Protocol) List() *syncvar.List { return p.own }

// Words returns, by rank, the words of the Reduce that the last phase completed.
func (p *Protocol) Words() []uint64 {
	p.words = p.words[:0]
	for r := range p.outcome.Lists {
		p.words = append(p.words, p.outcome.Lists[r].Word)
	}
	return p.words
}

// Moved returns the version of a variable before the phase.
func (p *Protocol) Moved(id syncvar.ID) syncvar.Version { return p.table.Version(id) }

// Version returns the version of a variable after the last phase.
func (p *Protocol) Version(id syncvar.ID) syncvar.Version { return p.table.Version(id) }

// Changed reports what has happened to a variable since a version.
func (p *Protocol) Changed(id syncvar.ID, since syncvar.Version) (tenure, content bool) {
	return p.table.Changed(id, since)
}

// Owner returns the rank that last had a variable exclusively.
func (p *Protocol) Owner(id syncvar.ID) dimmnet.Rank { return p.table.State(id).Owner }

// Table returns the table.
func (p *Protocol) Table() *syncvar.Table { return &p.table }

// Open returns 0: the Mover has the lists.
func (p *Protocol) Open() int { return 0 }

// Due appends nothing: the Mover has the lists.
func (p *Protocol) Due(ranks []dimmnet.Rank) []dimmnet.Rank { return ranks }

// Full appends nothing: the Mover has the lists.
func (p *Protocol) Full(ranks []dimmnet.Rank) []dimmnet.Rank { return ranks }
