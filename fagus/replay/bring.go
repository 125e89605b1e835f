package replay

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// bring brings the rank's copy of a variable to a version.
func (e *Engine) bring(id syncvar.ID, to syncvar.Version) error {
	have := e.have[id]
	switch {
	case to <= have:
		return nil
	case !e.space.Bound(id):
		return e.diverge(e.here(), fmt.Sprintf("data of variable %d arrived, which the program has not bound", id))
	}
	all := e.places[id]
	i, _ := slices.BinarySearchFunc(all, have+1, func(p place, v syncvar.Version) int {
		if p.version < v {
			return -1
		}
		return 1
	})
	e.arrived = e.arrived[:0]
	newest, known := syncvar.Version(0), have
	for _, p := range all[i:] {
		if p.version > to || p.version > known+1 {
			break
		}
		if known = p.version; p.offset == 0 {
			continue
		}
		newest = p.version
		if err := e.write(id, p); err != nil {
			return err
		}
	}
	if known < to && e.cut != "" {
		return e.lack(fmt.Sprintf("version %d of %q, which the rank saw next", known+1, e.space.Name(id)))
	}
	if known < to {
		return e.diverge(e.here(), fmt.Sprintf("no record has version %d of %q: the records are not of one run", known+1, e.space.Name(id)))
	}
	e.accept(id, newest)
	e.have[id] = to
	return nil
}

// write writes what a tenure wrote, as far as the variable guards it: a Rebind may have given the
// rest to others.
func (e *Engine) write(id syncvar.ID, p place) error {
	if err := e.others[p.rank].WritesAt(p.offset, &e.writes, &e.buffer); err != nil {
		return err
	}
	ranges := e.space.Ranges(id)
	for _, piece := range e.writes.Pieces {
		for _, r := range ranges {
			part := consistency.Range{Lo: max(r.Lo, piece.Range.Lo), Hi: min(r.Hi, piece.Range.Hi)}
			if part.Lo >= part.Hi {
				continue
			}
			copy(e.space.Bytes(part), piece.Bytes[part.Lo-piece.Range.Lo:])
			e.arrived = append(e.arrived, part)
		}
	}
	return nil
}

// accept tells the space what has arrived.
func (e *Engine) accept(id syncvar.ID, version syncvar.Version) {
	if len(e.arrived) == 0 {
		return
	}
	slices.SortFunc(e.arrived, func(a, b consistency.Range) int {
		if a.Lo < b.Lo {
			return -1
		}
		return 1
	})
	var pieces []consistency.Piece
	for _, r := range e.arrived {
		if n := len(pieces); n > 0 && r.Lo <= pieces[n-1].Hi && e.together(id, pieces[n-1].Range, r) {
			pieces[n-1].Hi = max(pieces[n-1].Hi, r.Hi)
			continue
		}
		pieces = append(pieces, consistency.Piece{Range: r, Version: version})
	}
	e.space.Accept(id, pieces)
}

// together reports whether two pieces that touch are in one range of a variable.
func (e *Engine) together(id syncvar.ID, a, b consistency.Range) bool {
	for _, r := range e.space.Ranges(id) {
		if r.Lo <= a.Lo && a.Lo < r.Hi {
			return b.Hi <= r.Hi
		}
	}
	return false
}
