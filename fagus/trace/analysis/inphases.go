package analysis

import (
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/syncvar"
)

// phases makes the acts in Phase mode.
type phases struct {
	*model
	acts   [][]act
	next   []int  // by rank: the act that is due
	enters []Time // when the rank enters the next phase
	lists  []syncvar.List
	grants syncvar.Granting
}

// inPhases returns how long the acts take in Phase mode. All ranks enter each phase, and
// syncvar.Grant decides which Acquires it grants.
func (m *model) inPhases(acts [][]act) (Time, bool) {
	n := len(acts)
	p := &phases{model: m, acts: acts, next: make([]int, n), enters: make([]Time, n), lists: make([]syncvar.List, n)}
	calls := 0
	for r := range acts {
		calls += len(acts[r])
		if !p.enter(r, m.first) {
			return 0, false
		}
	}
	for phase := m.first; calls > 0; phase++ {
		at := Time(0)
		for _, t := range p.enters {
			at = max(at, t)
		}
		for r := range p.lists {
			p.lists[r].Phase = phase
		}
		done, ended := p.step(phase, at)
		if ended {
			end := Time(0)
			for r := range acts {
				end = max(end, at+acts[r][p.next[r]].cost)
			}
			return end, true
		}
		if done == 0 {
			return 0, false
		}
		calls -= done
	}
	return 0, false
}

// step makes one phase, which all ranks have entered at a time. It returns how many calls return,
// and whether the run has ended.
func (p *phases) step(phase uint64, at Time) (done int, ended bool) {
	call, together := p.lists[0].Call, p.lists[0].Call != syncvar.Acquire
	for r := range p.lists {
		together = together && p.lists[r].Call == call
	}
	if together && call == syncvar.End {
		return 0, true
	}
	granted := syncvar.Grant(&p.grants, phase, p.lists)
	passed := syncvar.Fenced(p.lists) == len(p.lists)
	for r := range p.lists {
		if passed || together {
			p.lists[r].Fenced = false
		}
	}
	for r := range p.lists {
		if !granted[r] && !together {
			p.enters[r] = at + p.agree
			continue
		}
		p.enters[r] = at + p.acts[r][p.next[r]].cost
		p.next[r]++
		if !p.enter(r, phase+1) {
			return 0, false
		}
		done++
	}
	return done, false
}

// enter makes the acts of a rank up to the next call in which it enters a phase.
func (p *phases) enter(r int, phase uint64) bool {
	l := &p.lists[r]
	for ; p.next[r] < len(p.acts[r]); p.next[r]++ {
		a := &p.acts[r][p.next[r]]
		p.enters[r] += a.work
		switch a.call {
		case rollcall.Release:
			p.enters[r] += a.cost
			continue
		case rollcall.Fence:
			p.enters[r] += a.cost
			l.Fenced = true
			continue
		case rollcall.Acquire:
			l.Call, l.Shared, l.Exclusive = syncvar.Acquire, a.shared, a.exclusive
		default:
			l.Call = [...]syncvar.Call{rollcall.Update: syncvar.Update, rollcall.Barrier: syncvar.Barrier, rollcall.Reduce: syncvar.Reduce, rollcall.End: syncvar.End}[a.call]
			l.Shared, l.Exclusive = nil, nil
		}
		l.Since = phase
		return true
	}
	return false
}
