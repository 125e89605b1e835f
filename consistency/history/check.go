package history

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Check checks the history against the axioms and returns the first violation, or nil. It checks
// simple axioms first. For example, a version that was granted twice also causes a cycle, but Check
// reports the double grant.
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

func (h *History) exclusion(ts []tenure) *Violation {
	for i := 1; i < len(ts); i++ {
		a, b := &ts[i-1], &ts[i]
		if a.version == b.version && a.access == syncvar.Exclusive && b.access == syncvar.Exclusive {
			return h.violation(Exclusion, "%s, and %s", h.describe(a.begin), h.describe(b.begin))
		}
	}
	// The clock must agree with the versions. An exclusive tenure must begin after the end of
	// the exclusive tenure before it and of all shared tenures in between. A shared tenure must
	// begin after the end of the last exclusive tenure.
	last := -1 // the index of the last exclusive tenure
	for i := range ts {
		if ts[i].access == syncvar.Shared {
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

func (h *History) apart(a, b *tenure) *Violation {
	if h.apartClocks || a.ended && h.at(a.end).at <= h.at(b.begin).at {
		return nil
	}
	until := "never released it"
	if a.ended {
		until = "released it at " + h.at(a.end).at.String()
	}
	return h.violation(Exclusion, "%s, though %s and %s", h.describe(b.begin), h.describe(a.begin), until)
}

func (h *History) visibility(ts []tenure) *Violation {
	id := ts[0].variable
	left, by, rebinds := h.first(id), (*tenure)(nil), 0
	for i := range ts {
		t := &ts[i]
		if t.rebinds != rebinds {
			switch {
			case t.rebinds < rebinds:
				return h.violation(Visibility, "%s after %d changes of what it guards, and the tenure before came after %d", h.describe(t.begin), t.rebinds, rebinds)
			case t.rebinds > rebinds+1 || t.access != syncvar.Exclusive:
				return h.violation(Visibility, "%s after change %d of what it guards, which no exclusive tenure has followed", h.describe(t.begin), rebinds+1)
			}
			rebinds, left = t.rebinds, h.at(t.begin).content
		}
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
		if now := h.at(t.end).content; t.access == syncvar.Exclusive {
			left, by = now, t
		} else if now != left {
			return h.violation(Snapshot, "%s and sees %s; when it acquired it saw %s", h.describe(t.end), content(now), content(left))
		}
	}
	return nil
}

func (h *History) first(id syncvar.ID) uint64 {
	for _, r := range h.ranks {
		if int(id) < len(r.initial) {
			return r.initial[id]
		}
	}
	return 0
}

func (h *History) updates(list map[syncvar.ID][]tenure) *Violation {
	for rank, r := range h.ranks {
		for i := range r.events {
			e, p := &r.events[i], eventID{dimmnet.Rank(rank), i}
			if e.op != refresh {
				continue
			}
			left, by := h.first(e.variable), (*tenure)(nil)
			ts := list[e.variable] // by version
			for i := range ts {
				if t := &ts[i]; t.access == syncvar.Exclusive && t.ended && h.at(t.end).meeting < e.meeting {
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

// snapshot checks A5: a rank's copy of a variable changes only in the rank's own tenures and
// Updates.
func (h *History) snapshot(rank dimmnet.Rank) *Violation {
	type known struct {
		content uint64
		since   eventID
	}
	copies := make(map[syncvar.ID]known)
	r := h.ranks[rank]
	for i := range r.events {
		e, p := &r.events[i], eventID{rank, i}
		switch e.op {
		case begin, end, refresh, rebind:
			copies[e.variable] = known{e.content, p}
		case observe:
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
