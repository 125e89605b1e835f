package fagus

import (
	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// recorder records who writes what, for Config.Record.
type recorder struct {
	*recording.Writer
	node   *Node
	call   *callSummary
	arrays []consistency.Region // those that are recorded

	line    int // of the call
	tenure  recording.Tenure
	open    *SyncSet // of the present tenure
	rebinds bool     // the tenures are those of a Rebind
}

// newRecorder returns nil without a recording.
func newRecorder(n *Node, cfg *Config) (*recorder, error) {
	if cfg.Record == nil {
		return nil, nil
	}
	about := recording.About{Mode: cfg.Mode.String(), Clock: cfg.Net.Clock(), Nodes: n.nodes, Rank: n.rank, Begun: n.begun, Detection: cfg.WriteDetection.String(),
		Checkpoints: cfg.Checkpoints != nil || cfg.replay != nil && cfg.replay.Checkpoints}
	if cfg.replay == nil { // two replays have the same record
		about.Origin = n.origin()
	}
	if cfg.Check != CheckOff {
		about.Check = cfg.Check.String()
	}
	w, err := cfg.Record.Writer(about)
	if err != nil {
		return nil, err
	}
	return &recorder{Writer: w, node: n, call: n.summarize(true)}, nil
}

// close ends the file. It does nothing on a nil recorder.
func (r *recorder) close() {
	if r == nil {
		return
	}
	if r.open != nil { // the rank has failed
		r.began(r.open)
		r.tenure.To, r.tenure.Open = r.tenure.From, true
		r.Tenure(&r.tenure)
	}
	r.Close()
}

func (r *recorder) kinds() []eventKind {
	return []eventKind{
		eventBound, eventCalled, eventAcquired, eventReleasing, eventReleased, eventRebound, eventMoved, eventReturned,
		eventSaved, eventResumed, eventFailed,
	}
}

func (r *recorder) on(e *event) error {
	switch e.kind {
	case eventBound:
		r.bound(e.ids, false)
	case eventCalled, eventReleasing:
		if r.line = 0; r.call.stack != 0 {
			r.line = r.Line(r.call.stack, source.Here)
		}
	case eventAcquired:
		r.tenure.From, r.tenure.Acquired, r.open = r.node.clock.since, r.line, e.set
	case eventReleased:
		r.released(e.set, e.ids)
	case eventRebound:
		r.rebinds = len(e.ids) > 0
		r.bound(e.ids, true)
	case eventMoved:
		r.rebinds = false
	case eventReturned:
		r.returned(e.call)
	case eventSaved:
		mark := recording.Mark{Kind: recording.Saved, Number: e.number}
		if e.err != nil {
			mark.Kind, mark.Text = recording.Unsaved, e.err.Error()
		}
		r.JSON(&mark)
	case eventResumed:
		r.JSON(&recording.Mark{Kind: recording.Resumed, Number: e.number})
	case eventFailed:
		r.JSON(&recording.Mark{Kind: recording.Failed, Text: dimmnet.Reason(e.err)})
	}
	return nil
}

// bound records what all ranks bind, once.
func (r *recorder) bound(ids []syncvar.ID, again bool) {
	known := len(r.arrays)
	r.arrays = r.arrays[:0]
	for g := range r.node.space.Regions {
		if r.arrays = append(r.arrays, g); len(r.arrays) > known && r.node.rank == 0 {
			r.JSON(&recording.Array{Name: g.Name, Kind: g.Kind, Element: g.Element, Base: g.Lo, Bytes: g.Len()})
		}
	}
	for _, id := range ids {
		if r.node.rank == 0 {
			r.JSON(&recording.Binding{ID: id, Name: r.node.space.Name(id), Ranges: r.node.space.Ranges(id), Again: again})
		}
	}
}

// released records the tenure that ends. Its data are still the rank's.
func (r *recorder) released(set *SyncSet, written []syncvar.ID) {
	n, t := r.node, &r.tenure
	r.began(set)
	t.To, t.Released, r.open = n.clock.since, r.line, nil
	r.Tenure(t)
	for _, id := range written {
		version := n.engine.Version(id)
		r.Wrote(id, version)
		last := consistency.Range{}
		for piece := range n.space.Written(id, version) {
			piece = r.elements(id, piece)
			if piece.Lo < last.Hi { // two pieces of one element
				last.Hi = max(last.Hi, piece.Hi)
				continue
			}
			r.Piece(id, version, last.Lo, n.space.Bytes(last))
			last = piece
		}
		r.Piece(id, version, last.Lo, n.space.Bytes(last))
		r.WroteAll()
	}
}

// began sets what is known of the tenure since its begin.
func (r *recorder) began(set *SyncSet) {
	t := &r.tenure
	t.Step = r.call.steps
	t.Moved, t.Restored = set.moves && r.rebinds, set.moves && !r.rebinds && len(set.exclusive) > 0
	t.Shared, t.Exclusive = r.held(t.Shared[:0], set.shared), r.held(t.Exclusive[:0], set.exclusive)
}

func (r *recorder) held(all []recording.Held, ids []syncvar.ID) []recording.Held {
	for _, id := range ids {
		all = append(all, recording.Held{ID: id, Version: r.node.engine.Version(id)})
	}
	return all
}

// elements returns the elements of a variable that a range has bytes of.
func (r *recorder) elements(id syncvar.ID, piece consistency.Range) consistency.Range {
	number, _ := r.node.space.Locate(piece)
	g := &r.arrays[number]
	size := consistency.Addr(g.Element)
	whole := consistency.Range{Lo: piece.Lo - (piece.Lo-g.Lo)%size, Hi: g.Lo + (piece.Hi-g.Lo+size-1)/size*size}
	if guard, _, err := r.node.space.Guard(whole); err != nil || guard != id {
		return piece // the variable guards parts of elements
	}
	return whole
}

// returned records a call in which all ranks have met.
func (r *recorder) returned(call rollcall.Call) {
	if call == rollcall.Acquire || call == rollcall.Release {
		return
	}
	m := recording.Meeting{Call: call, From: r.node.clock.began, To: r.node.clock.since, Before: r.call.before, Step: r.call.steps, Line: r.line}
	if call == rollcall.Update {
		for _, a := range r.node.space.Arrivals() {
			m.Arrived = append(m.Arrived, recording.Held{ID: a.ID, Version: a.Version})
		}
	}
	r.Meeting(&m)
}
