package phase

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A rank that has changed one small variable in its last tenure attaches the contents to its next
// inline request, for every peer: it cannot know yet which peer will want them. All ranks see in
// the request which variable that is. So the plan needs no transfer of it in this phase: the
// receivers find the contents beside the request. In a later phase the variable moves as others do.
//
// Contents of up to attachBytes lie behind the words of the request's line. In a run of two ranks
// there are blocks for larger ones (inlineArea). A rank attaches these only if the peer wanted the
// last contents that the rank made of the variable, in the phase in which they could be attached.
//
// The contents are written before the request, so the request's landing proves that they have
// landed, and nobody overwrites them in this phase.
const (
	attachWord  = 4 // the first word of the contents
	attachBytes = inlineLine - attachWord*8
)

// attach prepares the contents of the variable that l attaches. If the variable is too large, or if
// ranks share one copy, attach removes it from l.
func (e *Engine) attach(l *syncvar.List) {
	e.attachment = e.attachment[:0]
	id := l.Attached[0]
	n, _ := e.space.Extent(id)
	if n > e.inline.attachable() || e.space.IsOneCopy() || len(l.Clean) > 0 {
		l.Attached = nil
		return
	}
	if n > attachBytes {
		e.offered = l.Attached
		if !e.sought[id] {
			l.Attached = nil
			return
		}
		e.sought[id] = false // until the peer wants these, too
	}
	for _, r := range e.space.Ranges(id) {
		e.attachment = append(e.attachment, e.space.Bytes(r)...)
	}
}

// attached reports whether the contents of a variable have come with the request of its owner.
func (e *Engine) attached(id syncvar.ID, owner dimmnet.Rank) bool {
	w := e.requests.own
	if owner != e.rank {
		w = e.requests.words[e.peer(owner)]
	}
	changed, ok := syncvar.InlineAttached(w)
	return ok && changed == id
}

// takeAttached takes the transfers to this rank whose contents are attached to requests, and
// removes from the plan all transfers of their variables.
func (e *Engine) takeAttached() error {
	rest := e.plan.Transfers[:0]
	for _, t := range e.plan.Transfers {
		if t.From == e.rank && len(e.offered) > 0 && e.offered[0] == t.ID {
			e.sought[t.ID] = true
		}
		switch {
		case !e.attached(t.ID, e.table.State(t.ID).Owner):
			rest = append(rest, t)
		case t.To == e.rank:
			if err := e.readAttached(t.ID); err != nil {
				return err
			}
		case t.From == e.rank:
			e.counts.Transfers++
		}
	}
	e.plan.Transfers, e.offered = rest, nil
	return nil
}

func (e *Engine) readAttached(id syncvar.ID) error {
	state := e.table.State(id)
	if !e.space.Bound(id) {
		return fmt.Errorf("phase: rank %d attached variable %d, which this rank has not bound", state.Owner, id)
	}
	n, _ := e.space.Extent(id)
	if limit := e.inline.attachable(); n > limit {
		return fmt.Errorf("phase: rank %d attached %q, which guards %d bytes: the limit is %d", state.Owner, e.space.Name(id), n, limit)
	}
	contents := slices.Grow(e.attachment[:0], n)[:n] // all posts of this rank's own have been made
	e.port.Read(contents, e.inline.attached(e.rank, state.Owner, e.phase, n))
	for _, r := range e.space.Ranges(id) {
		contents = contents[copy(e.space.Bytes(r), contents):]
	}
	e.acceptWhole(id)
	return nil
}
