package fagus

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// callSummary is what several observers record of a call. It is an observer that comes before them,
// and there is none if nobody needs it. space.Arrivals has what arrived in the call.
type callSummary struct {
	node  *Node
	lines bool // somebody wants stack

	// Of the call that runs:
	stack  uint64 // source.Key; 0 if the program does not make the call
	before uint64 // steps of the rank when the call began
	// Steps are phases, or the calls in which all ranks meet if they are no phases.
	steps uint64
	met   bool // all ranks have met in the call, as its phases tell
	// Of the call that has returned:
	posted dimmnet.Counters // operations since the call before returned
	total  dimmnet.Counters
}

// summarize returns the summary of the rank's calls, for an observer that is added next.
func (n *Node) summarize(lines bool) *callSummary {
	if n.summary == nil {
		n.space.LogArrivals()
		n.summary = &callSummary{node: n}
		n.events.add(n.summary)
	}
	n.summary.lines = n.summary.lines || lines
	return n.summary
}

func (s *callSummary) kinds() []eventKind {
	return []eventKind{eventCalled, eventMet, eventReleasing, eventReturned, eventOf(syncvar.Agreed)}
}

func (s *callSummary) on(e *event) error {
	switch e.kind {
	case eventCalled, eventReleasing:
		s.before, s.met, s.stack = s.steps, false, 0
		s.node.space.ForgetArrivals()
		if s.lines && e.call != rollcall.End { // which the program does not make
			s.stack = source.Key()
		}
	case eventOf(syncvar.Agreed):
		s.steps++
		s.met = true
	case eventMet:
		if !s.met && (e.call != rollcall.Fence || s.node.mode == Threaded) {
			s.steps++
		}
	case eventReturned:
		if e.call == rollcall.Release && s.node.silent {
			s.posted = dimmnet.Counters{} // it posts nothing, and has no time for a look
			return nil
		}
		total := s.node.engine.Counters()
		s.posted, s.total = total.Minus(s.total), total
	}
	return nil
}
