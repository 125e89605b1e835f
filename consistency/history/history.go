package history

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

type op uint8

const (
	begin   op = 1 + iota // a tenure begins
	end                   // a tenure ends
	refresh               // an Update brought the rank's copy of a variable to a version
	observe               // the program reads a variable that it does not hold
	enter                 // the rank arrives at a meeting: Update, Barrier or Reduce
	leave                 // the rank leaves the meeting
	rebind                // the ranges that the variable guards changed
)

type event struct {
	op       op
	access   syncvar.Access // of the tenure that begins or ends
	variable syncvar.ID
	call     uint32          // how many calls of Acquire, Update, Barrier and Reduce so far
	meeting  uint32          // at how many meetings the rank has arrived so far
	version  syncvar.Version // of the tenure, or of the copy after a refresh
	content  uint64          // of the variable (Space.Content)
	at       dimmnet.Time
}

// History is the record of one run.
type History struct {
	ranks       []*Recorder
	apartClocks bool // the ranks are processes, each with a clock of its own
}

// New returns an empty history, for one run.
func New() *History { return &History{} }

// Begin makes a Recorder for every rank of a run, and discards the record of the previous run.
func (h *History) Begin(nodes int) {
	h.ranks, h.apartClocks = make([]*Recorder, nodes), false
	for r := range h.ranks {
		h.ranks[r] = &Recorder{rank: dimmnet.Rank(r)}
	}
}

// Rank returns the recorder of a rank, after Begin.
func (h *History) Rank(r dimmnet.Rank) *Recorder { return h.ranks[r] }

// Counts says how much a History has recorded.
type Counts struct {
	Events    int `json:"events"`
	Tenures   int `json:"tenures"`
	Variables int `json:"variables"` // variables with at least one tenure
}

// Counts returns how much is recorded.
func (h *History) Counts() (c Counts) {
	seen := make(map[syncvar.ID]struct{})
	for _, r := range h.ranks {
		c.Events += len(r.events)
		for i := range r.events {
			if r.events[i].op == begin {
				c.Tenures++
				seen[r.events[i].variable] = struct{}{}
			}
		}
	}
	c.Variables = len(seen)
	return c
}

// Recorder is one rank's record. Only the thread of the rank may use it.
type Recorder struct {
	rank     dimmnet.Rank
	events   []event
	names    []string // of variables, by ID
	initial  []uint64 // contents of variables at their Bind, by ID
	calls    uint32
	meetings uint32
}

// Bind records that the rank has bound its next variable, which has the given content.
func (r *Recorder) Bind(name string, content uint64) {
	r.names, r.initial = append(r.names, name), append(r.initial, content)
}

// Rebound records that the ranges guarded by a variable changed, and the content of the rank's
// copy of the new ranges. The variable's next tenure must be exclusive, with a new version.
func (r *Recorder) Rebound(id syncvar.ID, content uint64, at dimmnet.Time) {
	r.add(event{op: rebind, variable: id, content: content, at: at})
}

// Call records the beginning of an Acquire, Update, Barrier or Reduce.
func (r *Recorder) Call() { r.calls++ }

// Acquired records that a tenure begins.
func (r *Recorder) Acquired(id syncvar.ID, access syncvar.Access, v syncvar.Version, content uint64, at dimmnet.Time) {
	r.add(event{op: begin, access: access, variable: id, version: v, content: content, at: at})
}

// Released records that a tenure ends.
func (r *Recorder) Released(id syncvar.ID, access syncvar.Access, v syncvar.Version, content uint64, at dimmnet.Time) {
	r.add(event{op: end, access: access, variable: id, version: v, content: content, at: at})
}

// Updated records that an Update brought the rank's copy of a variable to version v. The rank has
// acquired the variable earlier.
func (r *Recorder) Updated(id syncvar.ID, v syncvar.Version, content uint64, at dimmnet.Time) {
	r.add(event{op: refresh, variable: id, version: v, content: content, at: at})
}

// Observed records the content that the program reads from a variable that it does not hold.
func (r *Recorder) Observed(id syncvar.ID, content uint64, at dimmnet.Time) {
	r.add(event{op: observe, variable: id, content: content, at: at})
}

// Entered records that the rank arrives at a meeting of all ranks.
func (r *Recorder) Entered(at dimmnet.Time) {
	r.meetings++
	r.add(event{op: enter, at: at})
}

// Left records that the rank leaves the meeting, because all ranks have arrived.
func (r *Recorder) Left(at dimmnet.Time) { r.add(event{op: leave, at: at}) }

func (r *Recorder) add(e event) {
	e.call, e.meeting = r.calls, r.meetings
	r.events = append(r.events, e)
}
