package pairs

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A rank that has changed one small variable in its last tenure attaches the contents to its next
// inline request, for every peer: it cannot know yet which peer will want them. The request names
// the variable to all ranks, so the plan needs no transfer of it in this phase: the receivers find
// the contents beside the request. In a later phase the variable moves as others do.
//
// Contents of up to attachBytes lie behind the words of the request's line. In a run of two ranks
// there are blocks for larger contents (Area). A rank uses a block for a variable only if the peer
// wanted the variable when its contents could last be attached.
//
// The contents are written before the request, so the request's landing proves that they have
// landed, and nobody overwrites them in this phase.
const (
	attachWord  = 4 // the first word of the contents
	attachBytes = inlineLine - attachWord*8
)

// attach prepares the contents of the variable that l attaches. If the variable is too large, or if
// ranks share one copy, attach removes it from l.
func (p *Inline) attach(l *syncvar.List) {
	p.attachment = p.attachment[:0]
	id := l.Attached[0]
	n, _ := p.m.Space.Extent(id)
	if n > p.area.attachable() || p.m.Space.IsOneCopy() || len(l.Clean) > 0 {
		l.Attached = nil
		return
	}
	if n > attachBytes {
		p.offered = l.Attached
		if !p.sought[id] {
			l.Attached = nil
			return
		}
		p.sought[id] = false // until the peer wants these, too
	}
	for _, r := range p.m.Space.Ranges(id) {
		p.attachment = append(p.attachment, p.m.Space.Bytes(r)...)
	}
}

// attached reports whether the contents of a variable have come with the request of its owner.
func (p *Inline) attached(id syncvar.ID, owner dimmnet.Rank) bool {
	w := p.requests.own
	if owner != p.rank {
		w = p.requests.words[p.m.Peer(owner)]
	}
	changed, ok := syncvar.InlineAttached(w)
	return ok && changed == id
}

// takeAttached takes the transfers to this rank whose contents are attached to requests. It
// removes all transfers of attached variables from the plan.
func (p *Inline) takeAttached() error {
	rest := p.outcome.Transfers[:0]
	for _, t := range p.outcome.Transfers {
		if t.From == p.rank && len(p.offered) > 0 && p.offered[0] == t.ID {
			p.sought[t.ID] = true
		}
		switch {
		case !p.attached(t.ID, p.table.State(t.ID).Owner):
			rest = append(rest, t)
		case t.To == p.rank:
			if err := p.readAttached(t.ID); err != nil {
				return err
			}
		case t.From == p.rank:
			p.m.Counts.Transfers++
		}
	}
	p.outcome.Transfers, p.offered = rest, nil
	return nil
}

func (p *Inline) readAttached(id syncvar.ID) error {
	state := p.table.State(id)
	if !p.m.Space.Bound(id) {
		return fmt.Errorf("phase: rank %d attached variable %d, which this rank has not bound", state.Owner, id)
	}
	n, _ := p.m.Space.Extent(id)
	if limit := p.area.attachable(); n > limit {
		return fmt.Errorf("phase: rank %d attached %q, which guards %d bytes: the limit is %d", state.Owner, p.m.Space.Name(id), n, limit)
	}
	contents := slices.Grow(p.attachment[:0], n)[:n] // all posts of this rank's own have been made
	p.port.Read(contents, p.area.attached(p.rank, state.Owner, p.m.Phase, n))
	for _, r := range p.m.Space.Ranges(id) {
		contents = contents[copy(p.m.Space.Bytes(r), contents):]
	}
	p.m.AcceptWhole(id)
	return nil
}
