package history

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Check holds the history against the axioms and returns the first violation, or nil.
// Simple axioms come first: a version that was given twice is told as that, not as the
// cycle that it makes.
func (h *History) Check() *Violation {
	list, bad := h.tenures()
	if bad != nil {
		return bad
	}
	for _, id := range ids(list) {
		for _, check := range []func([]tenure) *Violation{h.exclusion, h.visibility} {
			if bad := check(list[id]); bad != nil {
				return bad
			}
		}
	}
	if bad := h.order(list); bad != nil {
		return bad
	}
	if bad := h.updates(list); bad != nil {
		return bad
	}
	for r := range h.ranks {
		if bad := h.snapshot(dimmnet.Rank(r)); bad != nil {
			return bad
		}
	}
	return nil
}

// exclusion is A1 for the tenures of a variable, in the order of their versions.
func (h *History) exclusion(ts []tenure) *Violation {
	for i := 1; i < len(ts); i++ {
		a, b := &ts[i-1], &ts[i]
		if a.version == b.version && a.mode == syncvar.Exclusive && b.mode == syncvar.Exclusive {
			return h.violation(Exclusion, "%s, and %s", h.describe(a.begin), h.describe(b.begin))
		}
	}
	// The clock may contradict the versions: of two neighbours of which one is
	// exclusive, the first must have ended. Shared ones of one version are neighbours of
	// the exclusive one after all of them.
	last := -1 // the exclusive one before
	for i := range ts {
		if ts[i].mode == syncvar.Shared {
			if last >= 0 {
				if bad := h.apart(&ts[last], &ts[i]); bad != nil {
					return bad
				}
			}
			continue
		}
		for j := max(last, 0); j < i; j++ {
			if bad := h.apart(&ts[j], &ts[i]); bad != nil {
				return bad
			}
		}
		last = i
	}
	return nil
}

// apart wants the first of two tenures to have ended when the second begins.
func (h *History) apart(a, b *tenure) *Violation {
	if a.ended && h.at(a.end).at <= h.at(b.begin).at {
		return nil
	}
	until := "never released it"
	if a.ended {
		until = "released it at " + h.at(a.end).at.String()
	}
	return h.violation(Exclusion, "%s, though %s and %s", h.describe(b.begin), h.describe(a.begin), until)
}

// visibility is A3 for the tenures of a variable.
func (h *History) visibility(ts []tenure) *Violation {
	id := ts[0].variable
	left, by := h.first(id), (*tenure)(nil)
	for i := range ts {
		t := &ts[i]
		if saw := h.at(t.begin).content; saw != left {
			words := "it was bound with"
			if by != nil {
				words = "the version before it was left with, as " + h.describe(by.end) + ","
			}
			return h.violation(Visibility, "%s and sees %s; %s %s", h.describe(t.begin), content(saw), words, content(left))
		}
		if !t.ended {
			continue
		}
		if now := h.at(t.end).content; t.mode == syncvar.Exclusive {
			left, by = now, t
		} else if now != left {
			return h.violation(Snapshot, "%s and sees %s; when it acquired it saw %s", h.describe(t.end), content(now), content(left))
		}
	}
	return nil
}

// first is what a variable guarded when it was bound.
func (h *History) first(id syncvar.ID) uint64 {
	for _, r := range h.ranks {
		if int(id) < len(r.initial) {
			return r.initial[id]
		}
	}
	return 0
}

// updates is A3 for Updates: they bring the last version that was released before.
func (h *History) updates(list map[syncvar.ID][]tenure) *Violation {
	for rank, r := range h.ranks {
		for i := range r.events {
			e, p := &r.events[i], place{dimmnet.Rank(rank), i}
			if e.op != refresh {
				continue
			}
			left, by := h.first(e.variable), (*tenure)(nil)
			ts := list[e.variable] // by version
			for i := range ts {
				if t := &ts[i]; t.mode == syncvar.Exclusive && t.ended && h.at(t.end).meeting < e.meeting {
					left, by = h.at(t.end).content, t
				}
			}
			if e.content != left {
				words := "it was bound with"
				if by != nil {
					words = "before it " + h.describe(by.end) + " with"
				}
				return h.violation(Visibility, "%s and sees %s; %s %s", h.describe(p), content(e.content), words, content(left))
			}
		}
	}
	return nil
}

// snapshot is A5: a rank's copy of a variable changes in its own tenures and by its
// own Updates.
func (h *History) snapshot(rank dimmnet.Rank) *Violation {
	type known struct {
		content uint64
		since   place
	}
	copies := make(map[syncvar.ID]known)
	r := h.ranks[rank]
	for i := range r.events {
		e, p := &r.events[i], place{rank, i}
		switch e.op {
		case begin, end, refresh:
			copies[e.variable] = known{e.content, p}
		case look:
			k, ok := copies[e.variable]
			switch {
			case !ok && e.content != h.first(e.variable):
				return h.violation(Snapshot, "%s and sees %s; it has never acquired it, and it was bound with %s", h.describe(p), content(e.content), content(h.first(e.variable)))
			case ok && e.content != k.content:
				return h.violation(Snapshot, "%s and sees %s; when last %s it saw %s", h.describe(p), content(e.content), h.describe(k.since), content(k.content))
			}
		}
	}
	return nil
}
