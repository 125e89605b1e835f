package replay

import (
	"bytes"
	"fmt"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/syncvar"
)

// compare compares a recorded piece with what is in the arrays.
func (e *Engine) compare(id syncvar.ID, p recording.Piece, line string) {
	own := e.space.Bytes(p.Range)
	e.result.Pieces++
	e.result.Bytes += int64(len(p.Bytes))
	if bytes.Equal(own, p.Bytes) {
		return
	}
	if own == nil {
		e.differ(Difference{Line: line, Text: fmt.Sprintf("the recorded run has written %v, where the program has no array", p.Range)})
		return
	}
	first := 0
	for own[first] == p.Bytes[first] {
		first++
	}
	d := e.element(id, p.Range.Lo+consistency.Addr(first), line)
	lo := max(d.at, p.Range.Lo)
	hi := min(d.at+consistency.Addr(d.size), p.Range.Hi)
	d.Recorded = bytes.Clone(p.Bytes[lo-p.Range.Lo : hi-p.Range.Lo])
	d.Replayed = bytes.Clone(own[lo-p.Range.Lo : hi-p.Range.Lo])
	d.Text = fmt.Sprintf("%s[%d], guarded by %q, has other bytes: %x, recorded %x", d.Array, d.Element, d.Variable, d.Replayed, d.Recorded)
	e.differ(d.Difference)
}

// more finds what the rank has written, and the recorded one has not. recorded are ranges by
// address.
func (e *Engine) more(id syncvar.ID, recorded []consistency.Range, line string) {
	for r := range e.space.Written(id, e.version[id]) {
		at := r.Lo
		for _, known := range recorded {
			if known.Lo <= at && at < known.Hi {
				at = known.Hi
			}
		}
		if at >= r.Hi {
			continue
		}
		d := e.element(id, at, line)
		d.Replayed = bytes.Clone(e.space.Bytes(consistency.Range{Lo: d.at, Hi: d.at + consistency.Addr(d.size)}))
		d.Text = fmt.Sprintf("%s[%d], guarded by %q, is written: %x; the recorded run has not written it", d.Array, d.Element, d.Variable, d.Replayed)
		e.differ(d.Difference)
		return
	}
}

type element struct {
	Difference
	at   consistency.Addr
	size int
}

// element describes the element at an address.
func (e *Engine) element(id syncvar.ID, at consistency.Addr, line string) element {
	d := element{Difference: Difference{Line: line, Variable: e.space.Name(id)}}
	for g := range e.space.Regions {
		if g.Lo <= at && at < g.Hi {
			d.Array, d.Kind, d.size = g.Name, g.Kind, g.Element
			d.Element = int(at-g.Lo) / g.Element
			d.at = g.Lo + consistency.Addr(d.Element*g.Element)
		}
	}
	return d
}
