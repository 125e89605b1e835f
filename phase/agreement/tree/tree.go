package tree

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Config configures a Protocol.
type Config struct {
	Observer syncvar.Observer
	First    syncvar.Version // the version of all variables before any tenure
	Lines    Lines
	Virtual  bool     // a rank's work is charged as if it were alone in its process
	Replica  *Replica // shared by the engines of a process
}

// Protocol is the agreement of one rank.
type Protocol struct {
	m        *movement.Mover
	push     *movement.Push
	outcome  agreement.Outcome
	observer syncvar.Observer
	tree     ringbuf.Tree // connects the peers
	replica  *Replica

	own  *syncvar.List // the list of this rank
	text []byte        // own, encoded
	sent []byte        // text as it is sent: a mark if it is the expected list
	mark []byte        // the mark of this phase; empty if no schedule is expected

	lines     Lines
	signals   signals // of this phase
	bundle    []byte  // the lists of this rank and of the ranks below it
	outBundle []byte  // bundle as it is sent, with the words of a Reduce
	below     int     // the number of children whose bundles have not arrived
	fold      folding
	scratch   []byte

	course   course
	schedule *schedule // of this phase
	uniform  bool      // all ranks have sent the same list

	parts []*part // of this rank in the last phases, as in course.past
	part  *part   // of this phase
	plain uint64  // the number of phases since one could not move all data

	foreseen    bool             // part repeats an earlier one if all ranks send what is expected
	repeating   bool             // the present phase repeats
	before      dimmnet.Counters // the port's counters when a foreseen phase begins
	repetitions agreement.Repetitions

	meter        meter
	declarations agreement.Declarations
}

var (
	_ agreement.Folder   = (*Protocol)(nil)
	_ agreement.Repeater = (*Protocol)(nil)
)

// Arity is the number of children of a rank: as many as a barrier of DIMMnet-1 has
// (docs/lab/papers.md, DIMMnet-1, Barrier and global sum by AOTF).
const Arity = 8

// New returns the Protocol of the rank of m, whose method is a Push.
func New(m *movement.Mover, cfg Config) *Protocol {
	nodes := m.Port.Nodes()
	p := &Protocol{
		m: m, push: m.Push(), observer: cfg.Observer, lines: cfg.Lines, replica: cfg.Replica,
		tree: Of(nodes), own: new(syncvar.List), course: newCourse(nodes),
	}
	p.replica.add(cfg.First)
	p.meter = meter{p: p, virtual: cfg.Virtual}
	return p
}

// Of returns the tree of so many nodes.
func Of(nodes int) ringbuf.Tree { return ringbuf.Tree{Nodes: nodes, Arity: Arity} }

// Peers returns the neighbours of the rank.
func (p *Protocol) Peers() []dimmnet.Rank {
	peers := p.tree.Children(p.m.Rank)
	if parent, ok := p.tree.Parent(p.m.Rank); ok {
		peers = slices.Insert(peers, 0, parent)
	}
	return peers
}

// Begin enters a phase; see agreement.Protocol.
func (p *Protocol) Begin(l *syncvar.List) (sent bool, err error) {
	p.m.Begin()
	agreement.Declare(l, p.own, p.m.Space, p.m.Phase)
	l.Attached = nil // no contents go with a list
	*p.own = *l
	text := *l
	text.Word = p.fold.word(l)
	p.text = appendScheduled(p.text[:0], &text)
	p.m.Charge(dimmnet.Entry, l.Entries())
	return false, agreement.CheckSize(p.text)
}

// Step posts and takes signals.
func (p *Protocol) Step() (progress bool, err error) { return p.signals.step(p) }

// Pending reports whether signals are still to be posted or to land.
func (p *Protocol) Pending() bool { return p.signals.pending() }

// MaxListBytes bounds the lists of a phase.
func (p *Protocol) MaxListBytes() int { return maxBundleBytes }

// Decide repeats a phase, or plans one.
func (p *Protocol) Decide() (moves bool, err error) {
	if p.repeats() {
		p.repeat()
		return true, nil
	}
	return p.join()
}

// Finish ends a phase in which data moved. The table changes when a phase needs it.
func (p *Protocol) Finish() { p.end() }

func (p *Protocol) end() {
	p.course.add(p.schedule)
	if p.repeating {
		r := &p.repetitions
		r.Repeating = r.Repeating.Plus(p.m.Port.Counters().Minus(p.before))
		p.repeating = false
	}
}

// Outcome returns where the outcome of the phase is.
func (p *Protocol) Outcome() *agreement.Outcome { return &p.outcome }

// List returns this rank's list.
func (p *Protocol) List() *syncvar.List { return p.own }

// Words returns the words that came down.
func (p *Protocol) Words() []uint64 { return p.fold.all }

// SetFold sets what the next Reduce combines.
func (p *Protocol) SetFold(vector []uint64, f agreement.Fold) { p.fold.own, p.fold.by = vector, f }

// Owner returns the owner of a variable.
func (p *Protocol) Owner(id syncvar.ID) dimmnet.Rank { return p.replica.owner(id) }

// Table returns the table of all variables after the last phase.
func (p *Protocol) Table() *syncvar.Table { return p.replica.upToDate(p) }

// Repetitions returns how many phases have repeated.
func (p *Protocol) Repetitions() (r agreement.Repetitions, now bool) {
	return p.repetitions, p.foreseen || p.repeating
}

// Open returns how many signals are still to be posted or to land.
func (p *Protocol) Open() int { return len(p.signals.due) + len(p.signals.out) }

// Due appends the ranks whose signals have not landed.
func (p *Protocol) Due(ranks []dimmnet.Rank) []dimmnet.Rank {
	for _, i := range p.signals.due {
		ranks = append(ranks, p.m.Peers[i])
	}
	return ranks
}

// Full appends the ranks to which signals are still to be posted.
func (p *Protocol) Full(ranks []dimmnet.Rank) []dimmnet.Rank {
	for _, s := range p.signals.out {
		ranks = append(ranks, s.to)
	}
	return ranks
}
