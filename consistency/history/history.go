package history

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// op is what a rank did.
type op uint8

const (
	begin   op = 1 + iota // a tenure begins
	end                   // and ends
	refresh               // an Update has brought a variable to a version
	look                  // the program looks at a variable that it does not hold
	enter                 // a meeting of all ranks: Update, Barrier or Reduce
	leave
)

// event is one entry of a rank's list.
type event struct {
	op       op
	mode     syncvar.Mode // of a tenure
	variable syncvar.ID
	call     uint32          // of the rank: Acquire, Update, Barrier and Reduce, counted from 1
	meeting  uint32          // of all ranks, counted from 1
	version  syncvar.Version // of the tenure, or of the copy after a refresh
	content  uint64          // of what the variable guards
	at       dimmnet.Time
}

// History is what the ranks of one run did.
type History struct {
	ranks []*Recorder
}

// New returns an empty history, for one run.
func New() *History { return &History{} }

// Begin makes room for the ranks of a run, whose recorders Rank returns. What was
// recorded before is forgotten.
func (h *History) Begin(nodes int) {
	h.ranks = make([]*Recorder, nodes)
	for r := range h.ranks {
		h.ranks[r] = &Recorder{rank: dimmnet.Rank(r)}
	}
}

// Rank returns the recorder of a rank, after Begin.
func (h *History) Rank(r dimmnet.Rank) *Recorder { return h.ranks[r] }

// Counts says how much is recorded.
type Counts struct {
	Events  int `json:"events"`
	Tenures int `json:"tenures"`
	// Variables is how many of those that were bound had a tenure.
	Variables int `json:"variables"`
}

// Counts says how much is recorded.
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

// Recorder is one rank's list. It belongs to the thread of the rank.
type Recorder struct {
	rank     dimmnet.Rank
	events   []event
	names    []string // of variables, in the order of their IDs
	initial  []uint64 // their contents when they were bound
	calls    uint32
	meetings uint32
}

// Bind says that the rank has bound its next variable, and what that guards.
func (r *Recorder) Bind(name string, content uint64) {
	r.names, r.initial = append(r.names, name), append(r.initial, content)
}

// Call says that a call begins which may wait for others.
func (r *Recorder) Call() { r.calls++ }

// Acquired says that a tenure has begun.
func (r *Recorder) Acquired(id syncvar.ID, mode syncvar.Mode, v syncvar.Version, content uint64, at dimmnet.Time) {
	r.add(event{op: begin, mode: mode, variable: id, version: v, content: content, at: at})
}

// Released says that it ends.
func (r *Recorder) Released(id syncvar.ID, mode syncvar.Mode, v syncvar.Version, content uint64, at dimmnet.Time) {
	r.add(event{op: end, mode: mode, variable: id, version: v, content: content, at: at})
}

// Updated says that an Update has brought a variable, which the rank has acquired
// before, to a version.
func (r *Recorder) Updated(id syncvar.ID, v syncvar.Version, content uint64, at dimmnet.Time) {
	r.add(event{op: refresh, variable: id, version: v, content: content, at: at})
}

// Looked says what the program sees of a variable that it does not hold.
func (r *Recorder) Looked(id syncvar.ID, content uint64, at dimmnet.Time) {
	r.add(event{op: look, variable: id, content: content, at: at})
}

// Entered says that the rank waits for all, and Left that all were there.
func (r *Recorder) Entered(at dimmnet.Time) {
	r.meetings++
	r.add(event{op: enter, at: at})
}

// Left says that all ranks were there.
func (r *Recorder) Left(at dimmnet.Time) { r.add(event{op: leave, at: at}) }

func (r *Recorder) add(e event) {
	e.call, e.meeting = r.calls, r.meetings
	r.events = append(r.events, e)
}
