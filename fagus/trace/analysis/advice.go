package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
	"github.com/fagus-dsm/fagus/syncvar"
)

// stretch is the computing between two lines with calls.
type stretch struct{ after, until int32 }

// ofStretch is what ranks compute there.
type ofStretch struct {
	stretch
	times [][]Time // by rank: each time
	sums  []Time   // by rank
	most  int      // the rank with the largest sum
	by    int      // how many ranks compute there
}

const mostStretches = 8

// imbalances tries to divide the computing between two lines evenly.
func (p *predictor) imbalances() {
	all := make(map[stretch]*ofStretch)
	for r, acts := range p.acts {
		for i := range acts {
			a := &acts[i]
			if a.work == 0 || i == 0 && p.Clock != dimmnet.Virtual { // processes start one by one
				continue
			}
			key := stretch{a.after, a.line}
			s := all[key]
			if s == nil {
				s = &ofStretch{stretch: key, times: make([][]Time, len(p.acts)), sums: make([]Time, len(p.acts))}
				all[key] = s
			}
			if len(s.times[r]) == 0 {
				s.by++
			}
			s.times[r] = append(s.times[r], a.work)
			if s.sums[r] += a.work; s.sums[r] > s.sums[s.most] {
				s.most = r
			}
		}
	}
	var list []*ofStretch
	for _, s := range all {
		if s.regular() {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *ofStretch) int {
		return cmp.Or(cmp.Compare(b.uneven(), a.uneven()), cmp.Compare(a.after, b.after), cmp.Compare(a.until, b.until))
	})
	for _, s := range list[:min(len(list), mostStretches)] {
		p.advise(p.imbalance(s), s.even)
	}
}

// regular reports whether each rank computes there equally often, or one alone: then the work may
// be divided otherwise. Ranks that take work from a queue do not.
func (s *ofStretch) regular() bool {
	for _, times := range s.times {
		if len(times) > 0 && len(times) != len(s.times[s.most]) {
			return false
		}
	}
	return s.by == 1 || s.by == len(s.times)
}

// mean returns the mean of what ranks compute there.
func (s *ofStretch) mean() (mean Time) {
	for _, t := range s.sums {
		mean += t
	}
	return mean / Time(len(s.sums))
}

// uneven returns how much longer than in the mean one rank computes, each time.
func (s *ofStretch) uneven() (sum Time) {
	for i := range s.times[s.most] {
		most, all := Time(0), Time(0)
		for _, times := range s.times {
			if i < len(times) {
				most, all = max(most, times[i]), all+times[i]
			}
		}
		sum += most - all/Time(len(s.times))
	}
	return sum
}

// even gives each rank the mean, each time.
func (s *ofStretch) even(_ int, acts []act) []act {
	time := 0
	for i := range acts {
		if a := &acts[i]; a.work > 0 && a.after == s.after && a.line == s.until {
			all := Time(0)
			for _, times := range s.times {
				if time < len(times) {
					all += times[time]
				}
			}
			a.work = all / Time(len(s.times))
			time++
		}
	}
	return acts
}

func (p *predictor) imbalance(s *ofStretch) Advice {
	a := Advice{Kind: Imbalance, Line: p.line(s.after), Do: "divide the work evenly, or share it out by a parts.Queue"}
	number := p.ranks[s.most].number
	if s.by == 1 {
		a.What = fmt.Sprintf("only rank %d computes %s, for %v, while others wait", number, p.between(s.after, s.until), s.sums[s.most])
		a.Do = fmt.Sprintf("divide this work among the %d ranks", len(s.sums))
		a.If = "it can be divided"
		return a
	}
	a.What = fmt.Sprintf("ranks compute for different times %s: rank %d for %v, the mean is %v", p.between(s.after, s.until), number, s.sums[s.most], s.mean())
	if s.sums[s.most] < s.mean()+s.uneven()/2 {
		a.What = fmt.Sprintf("ranks compute for different times %s, another one longer each time: %v longer than in the mean", p.between(s.after, s.until), s.uneven())
	}
	return a
}

// between says where computing is.
func (r *run) between(after, until int32) string {
	switch from, to := r.line(after), r.line(until); {
	case from == "" && to == "":
		return "without a call"
	case from == "":
		return "before " + to
	case to == "" || to == from:
		return "after " + from
	default:
		return "between " + from + " and " + to
	}
}

// held tries to make each rank's part of a variable a variable of its own.
func (p *predictor) held() {
	for _, g := range p.res.Groups {
		if p.little(g.Waited) {
			continue
		}
		a := Advice{Kind: Serial, Variable: g.Name, Line: g.Line, Most: true,
			What: fmt.Sprintf("ranks waited %v for %q, which others had, most of it at %s and for rank %d", g.Waited, g.Name, g.Line, g.Holder),
			Do:   "hold it for a shorter time, or divide its data among several variables"}
		if g.Apart || p.ownParts(&g) {
			a.Kind, a.Most = Sharing, false
			a.Do, a.If = "bind the part of each rank to a variable of its own", "no rank needs what others change: they change parts that do not overlap"
			if !g.Apart {
				a.If = "each rank changes a part of its own, as the sizes of the changes suggest"
			}
		}
		p.advise(a, p.apart(g.Name, a.Kind == Sharing))
	}
}

// ownParts reports whether the changes of all ranks fit into the variable side by side.
func (p *predictor) ownParts(g *Group) bool {
	if g.Writers < 2 || g.Tenures == 0 || g.Bytes == 0 {
		return false
	}
	return float64(g.Written)/float64(g.Tenures)*float64(g.Writers) <= 1.05*float64(g.Bytes)/float64(g.Variables)
}

// apart gives each rank variables of its own in place of those of a group.
func (p *predictor) apart(name string, still bool) func(int, []act) []act {
	in := p.of(name)
	return func(rank int, acts []act) []act {
		for i := range acts {
			a := &acts[i]
			a.exclusive = rename(a.exclusive, in, rank)
			a.shared = rename(a.shared, in, rank)
			if still {
				a.still(p.portion(a, in))
			}
		}
		return acts
	}
}

// rename replaces variables by those of one rank.
func rename(ids []syncvar.ID, in map[int32]bool, rank int) []syncvar.ID {
	if !slices.ContainsFunc(ids, func(id syncvar.ID) bool { return in[int32(id)] }) {
		return ids
	}
	own := make([]syncvar.ID, len(ids))
	for i, id := range ids {
		own[i] = id
		if in[int32(id)] {
			own[i] = id + syncvar.ID(1+rank)*syncvar.MaxID
		}
	}
	slices.Sort(own)
	return own
}

// of returns the variables of a group.
func (p *predictor) of(name string) map[int32]bool {
	in := make(map[int32]bool)
	for id, v := range p.Trace.Variables {
		if v.Name == name || groupName(v.Name) == name {
			in[int32(id)] = true
		}
	}
	return in
}

// portion returns the share of the data of a call that are of some variables.
func (p *predictor) portion(a *act, in map[int32]bool) float64 {
	of, all := uint64(0), uint64(0)
	for _, d := range a.of.arrived {
		all += d.Bytes
		if in[d.ID] {
			of += d.Bytes
		}
	}
	if all == 0 {
		return 0
	}
	return float64(of) / float64(all)
}

// still leaves out a share of the data that move in a call.
func (a *act) still(share float64) {
	less := Time(share * float64(a.moving))
	a.cost, a.moving = a.cost-less, a.moving-less
}

// modes tries the other mode.
func (p *predictor) modes() {
	if p.phases {
		p.inOtherMode(Advice{What: "in an Acquire ranks wait for the calls of all ranks, also of those that do not have what they want",
			Do: "use threaded mode (--mode threaded)", If: "the program does not depend on the order of phases"}, p.asThreads)
	} else if p.Net == "dimmnet1" {
		p.inOtherMode(Advice{What: "requests for variables, one by one, take longer than a phase for all of them",
			Do: "use phases (--mode phase)", If: "no rank makes many more calls than others"}, p.asPhases)
	}
}

func (p *predictor) inOtherMode(a Advice, change func(rank int, acts []act) []act) {
	a.Kind, a.Most = Mode, true
	p.threads = !p.threads
	p.advise(a, change)
	p.threads = !p.threads
}

// asThreads makes acts of Phase mode those of Threaded mode, where an Acquire waits only for the
// holders.
func (p *predictor) asThreads(_ int, acts []act) []act {
	request := p.request()
	for i := range acts {
		a := &acts[i]
		switch a.call {
		case rollcall.Acquire:
			a.cost = a.moving + a.copying
			if a.arrived > 0 || slices.ContainsFunc(a.of.waits, func(w trace.Event) bool { return w.ID != trace.None }) {
				a.cost += request // another rank had one of the variables
			}
		case rollcall.Fence: // a Barrier, there: it takes what the phase after it has taken
			a.cost = p.agree
			if i+1 < len(acts) {
				a.cost = acts[i+1].cost - acts[i+1].moving
			}
		}
	}
	return acts
}

// What a phase takes on a simulated DIMMnet-1 with few nodes.
const (
	phaseTime  = 10 * dimmnet.Microsecond // without data, and as much again with some
	phaseBytes = 85                       // that move in a microsecond
)

// asPhases makes acts of Threaded mode on a simulated DIMMnet-1 those of Phase mode. What requests
// take says nothing of phases.
func (p *predictor) asPhases(_ int, acts []act) []act {
	for i := range acts {
		a := &acts[i]
		switch a.call {
		case rollcall.Release: // sends nothing
		case rollcall.Fence:
			a.cost = 0
		default:
			a.cost = phaseTime + a.copying
			if a.arrived > 0 {
				a.cost += phaseTime + Time(a.arrived)*dimmnet.Microsecond/phaseBytes
			}
		}
	}
	return acts
}
