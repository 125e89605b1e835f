package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

const (
	mostJoined = 32      // calls into one
	muchData   = 4 << 10 // bytes that take their own time
	fineGrain  = 20      // a call takes more than this part of the computing between calls
)

// round is the calls of a program that are made equally often: the lines of one loop.
type round struct {
	times int // of all ranks
	sites map[site]bool
	cost  Time // in the calls, with waits for variables
	all   Time // in the calls
	held  Time // of cost
	work  Time // between the calls
	main  site // with most of cost
	most  Time
}

// grains tries to join calls: more computing between two of them.
func (p *predictor) grains() {
	for _, r := range p.rounds() {
		if r.cost*fineGrain < r.work || r.times < 4*len(p.acts) || p.little(r.all) {
			continue
		}
		p.join(r)
	}
}

// rounds returns the loops of the program, by the numbers of their calls.
func (p *predictor) rounds() []*round {
	at := make(map[site]*round) // a site each, first
	for _, acts := range p.acts {
		for i := range acts {
			a := &acts[i]
			s := site{a.line, a.call}
			if a.line == trace.None || a.call == rollcall.Release {
				continue
			}
			r := at[s]
			if r == nil {
				r = &round{sites: map[site]bool{s: true}, main: s}
				at[s] = r
			}
			r.times++
			r.work += a.work
			if i+1 < len(acts) && acts[i+1].call == rollcall.Release {
				r.work += acts[i+1].work
				r.cost, r.all = r.cost+acts[i+1].cost, r.all+acts[i+1].cost
			}
			r.cost, r.all = r.cost+a.cost, r.all+a.of.To-a.of.From
			for k := range a.of.waits {
				if w := &a.of.waits[k]; w.ID != trace.None {
					r.held += w.To - w.From
					r.cost += w.To - w.From
				}
			}
		}
	}
	sites := slices.SortedFunc(maps.Keys(at), func(a, b site) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.call, b.call)) })
	var all []*round
	for _, s := range sites {
		r := at[s]
		i := slices.IndexFunc(all, func(of *round) bool { return of.times == r.times })
		if r.most = r.cost; i < 0 {
			all = append(all, r)
			continue
		}
		of := all[i]
		of.sites[s] = true
		of.cost, of.all, of.held, of.work = of.cost+r.cost, of.all+r.all, of.held+r.held, of.work+r.work
		if r.cost > of.most {
			of.main, of.most = s, r.cost
		}
	}
	return all
}

// join advises to join calls, as many as save nearly what joining more of them does.
func (p *predictor) join(r *round) {
	var tries []Advice
	for k := 2; k <= mostJoined && r.times >= 2*k*len(p.acts); k *= 2 {
		a := p.grain(r, k)
		p.saves(&a, func(_ int, acts []act) []act { return joinCalls(acts, r.sites, k) })
		tries = append(tries, a)
	}
	if len(tries) == 0 {
		return
	}
	best := slices.MaxFunc(tries, func(a, b Advice) int { return cmp.Compare(a.Saves, b.Saves) })
	for _, a := range tries {
		if a.Share >= leastShare && float64(a.Saves) >= 0.8*float64(best.Saves) {
			p.res.Advice = append(p.res.Advice, a)
			return
		}
	}
}

func (p *predictor) grain(r *round, k int) Advice {
	line := p.line(r.main.line)
	n := Time(r.times)
	a := Advice{Kind: Grain, Line: line, Joined: k, If: fmt.Sprintf("%d steps can be made one", k),
		What: fmt.Sprintf("the calls at %s take %v each time, for %v of computing", line, r.cost/n, r.work/n),
		Do:   fmt.Sprintf("do %d times the work between two of these calls", k)}
	if r.main.call == rollcall.Acquire && r.held > r.cost/3 {
		a.Do = fmt.Sprintf("do %d times the work for each of these tenures; take larger batches from a queue", k)
	}
	return a
}

// joinCalls keeps the last of k calls at some sites, with all the computing. Of tenures, it is
// inside or outside as before.
func joinCalls(acts []act, sites map[site]bool, k int) []act {
	left := make(map[site]int)
	for i := range acts {
		left[site{acts[i].line, acts[i].call}]++
	}
	kept := acts[:0]
	var outside, inside, moving Time
	dropping, joined := false, false
	for _, a := range acts {
		s := site{a.line, a.call}
		if sites[s] {
			left[s]--
			dropping, joined = left[s]%k != 0, true
		} else if a.call != rollcall.Release {
			dropping, joined = false, false
		}
		switch {
		case dropping && a.call == rollcall.Release:
			inside += a.work
		case dropping:
			outside += a.work
			if a.arrived >= muchData {
				moving += a.moving
			}
		case a.call == rollcall.Release && joined:
			a.work, inside = a.work+inside, 0
			kept = append(kept, a)
		default:
			a.work, outside = a.work+outside, 0
			if sites[s] {
				a.cost, moving = a.cost+moving, 0
			}
			kept = append(kept, a)
		}
	}
	return kept
}
