package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// site is a call at a source line.
type site struct {
	line int32
	call rollcall.Call
}

// needless tries to leave out calls in which nothing moved.
func (p *predictor) needless() {
	moved, times := make(map[site]bool), make(map[site]Time)
	for _, acts := range p.acts {
		for i := range acts {
			if a := &acts[i]; a.call == rollcall.Update || a.call == rollcall.Barrier {
				times[site{a.line, a.call}] += a.of.To - a.of.From
				moved[site{a.line, a.call}] = moved[site{a.line, a.call}] || a.arrived > 0
			}
		}
	}
	sites := slices.SortedFunc(maps.Keys(times), func(a, b site) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.call, b.call)) })
	for _, s := range sites {
		if moved[s] || s.line == trace.None || p.little(times[s]) {
			continue
		}
		a := Advice{Kind: Needless, Line: p.line(s.line), If: "ranks need not meet there"}
		switch {
		case p.phases:
			a.What = fmt.Sprintf("the %v at %s moves nothing, and takes a phase", s.call, a.Line)
			a.Do, a.If = "use Fence, which takes no phase, or leave it out", "only the order of tenures counts there"
		case s.call == rollcall.Barrier && !p.twice(s):
			continue // the trace does not say what it orders
		case s.call == rollcall.Barrier:
			a.What, a.Do = fmt.Sprintf("the Barrier at %s is next to another call in which ranks meet", a.Line), "leave it out"
		default:
			a.What, a.Do = fmt.Sprintf("the Update at %s moves nothing", a.Line), "leave it out"
		}
		p.advise(a, func(_ int, acts []act) []act { return without(acts, s, p.phases) })
	}
}

// twice reports whether ranks meet immediately before or after each call at a site.
func (p *predictor) twice(s site) bool {
	for _, acts := range p.acts {
		for i := range acts {
			if acts[i].line != s.line || acts[i].call != s.call {
				continue
			}
			after := i+1 < len(acts) && acts[i+1].call > rollcall.Release && acts[i+1].work <= acts[i].cost
			before := i > 0 && acts[i-1].call > rollcall.Release && acts[i].work <= acts[i].cost
			if !after && !before {
				return false
			}
		}
	}
	return true
}

// without leaves out the calls at a site, or makes them Fences.
func without(acts []act, s site, fence bool) []act {
	kept, work := acts[:0], Time(0)
	for _, a := range acts {
		a.work, work = a.work+work, 0
		if a.line == s.line && a.call == s.call {
			if !fence {
				work = a.work
				continue
			}
			a.call, a.cost = rollcall.Fence, 0
		}
		kept = append(kept, a)
	}
	return kept
}

// declare tries to declare what tenures write: there is nothing to copy and to compare.
func (p *predictor) declare() {
	times := make(map[int32]Time) // by line
	for _, acts := range p.acts {
		for i := range acts {
			if a := &acts[i]; a.call == rollcall.Release && p.guarded(a) >= muchData {
				times[a.line] += a.cost
				if i > 0 {
					times[a.line] += acts[i-1].copying
				}
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(times)) {
		if line == trace.None || p.little(times[line]) {
			continue
		}
		a := Advice{Kind: Declare, Line: p.line(line), Most: !p.phases && !p.inMemory(), If: "the program knows which they are",
			What: fmt.Sprintf("the tenures at %s take %v to find out what they write", p.line(line), times[line]),
			Do:   "say which elements a tenure writes, by Request.Writing or Request.Reporting"}
		p.advise(a, func(_ int, acts []act) []act {
			for i := range acts {
				if a := &acts[i]; a.call == rollcall.Release && a.line == line && p.guarded(a) >= muchData {
					declared(acts[:i+1])
				}
			}
			return acts
		})
	}
}

// guarded returns how many bytes a tenure may write.
func (p *predictor) guarded(a *act) (bytes int) {
	for _, id := range a.exclusive {
		bytes += p.Variables[id].Bytes
	}
	return bytes
}

// declared takes from the last tenure of acts, which ends them, what finds out what it writes.
func declared(acts []act) {
	acts[len(acts)-1].cost = 0
	if k := len(acts) - 2; k >= 0 {
		acts[k].cost, acts[k].copying = acts[k].cost-acts[k].copying, 0
	}
}
