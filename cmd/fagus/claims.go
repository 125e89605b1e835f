package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
)

// claim is one of the paper's, held against a run.
type claim struct {
	Claim   string  `json:"claim"`
	Verdict verdict `json:"verdict"`
	Numbers string  `json:"numbers"`
}

// The claims.
const (
	claimEqual   = "total time is equal for small matrices"
	claimAhead   = "D1-Fagus2 is ahead by more as the matrix grows"
	claimAcquire = "acquire is slightly slower in D1-Fagus2"
	claimRelease = "release is faster in D1-Fagus2, which sends nothing there"
	claimUpdate  = "update is faster in D1-Fagus2, by more the more data"
	claimPolling = "without the TCP notice, polling takes about half of the compute rate"
)

// What their words are taken to mean, in percent: the paper prints no numbers.
const (
	equalWithin  = 5  // "equal": the totals differ by no more
	slightlyUpTo = 25 // "slightly slower": by no more
	halfFrom     = 40 // "about half", of the compute rate
	halfTo       = 60
)

// leastToGrow is how many sizes it takes to see whether something grows.
const leastToGrow = 2

// pair is one size, run in two versions.
type pair struct {
	n          int
	ours, base compared
}

// claims judges each of the paper's claims that the versions and sizes of a
// comparison allow to judge. They are about ranks that communicate: of one node alone
// they say nothing.
func claims(c *comparison) []claim {
	list := []claim{}
	if c.Nodes < 2 {
		return list
	}
	pairs := pairUp(c, rolePhase, roleThreaded)
	if len(pairs) >= leastToGrow {
		list = append(list, judgeEqual(pairs[0]), judgeAhead(pairs))
	}
	if len(pairs) > 0 {
		list = append(list, judgeAcquire(pairs), judgeRelease(pairs))
	}
	if len(pairs) >= leastToGrow {
		list = append(list, judgeUpdate(pairs))
	}
	if polled := pairUp(c, rolePolling, rolePhase); len(polled) > 0 {
		list = append(list, judgePolling(polled[len(polled)-1], c.cpusText()))
	}
	return list
}

// pairUp finds the sizes, rising, that were run in the versions of both roles.
func pairUp(c *comparison, ours, base role) (pairs []pair) {
	find := func(n int, as role) (compared, bool) {
		for _, v := range c.Versions {
			for _, r := range c.ofSize(n) {
				if v.Role == as && r.Version == v.Name {
					return r, true
				}
			}
		}
		return compared{}, false
	}
	for _, n := range c.Sizes {
		o, okOurs := find(n, ours)
		b, okBase := find(n, base)
		if okOurs && okBase {
			pairs = append(pairs, pair{n, o, b})
		}
	}
	return pairs
}

func judgeEqual(p pair) claim {
	v := p.apart("total").within(-equalWithin, equalWithin)
	return claim{claimEqual, v, fmt.Sprintf("%s; taken as equal within %d %%; %s; %s",
		texts([]pair{p}, "total"), equalWithin, p.mostly(), p.asked())}
}

func judgeAhead(pairs []pair) claim {
	return claim{claimAhead, lead(pairs, "total"), fmt.Sprintf("%s; %s; %s", texts(pairs, "total"), leads(pairs, "total"), pairs[len(pairs)-1].mostly())}
}

func judgeUpdate(pairs []pair) claim {
	update := fagus.PartUpdate.String()
	v := lead(pairs, update)
	for _, p := range pairs {
		v = worst(v, p.faster(update))
	}
	return claim{claimUpdate, v, texts(pairs, update) + "; " + leads(pairs, update)}
}

func judgeAcquire(pairs []pair) claim {
	acquire, v := fagus.PartAcquire.String(), supported
	for _, p := range pairs {
		slower := minus(p.ours.TimeNs[acquire], p.base.TimeNs[acquire]).above(0)
		v = worst(v, worst(slower, p.apart(acquire).within(math.Inf(-1), slightlyUpTo)))
	}
	return claim{claimAcquire, v, texts(pairs, acquire) + fmt.Sprintf("; taken as slight up to %d %%; %s", slightlyUpTo, pairs[len(pairs)-1].unequally(acquire))}
}

func judgeRelease(pairs []pair) claim {
	release, v := fagus.PartRelease.String(), supported
	var sent, baseSent uint64
	for _, p := range pairs {
		v = worst(v, p.faster(release))
		sent, baseSent = max(sent, p.ours.ReleaseMessages), max(baseSent, p.base.ReleaseMessages)
	}
	if sent > 0 {
		v = notSupported
	}
	return claim{claimRelease, v, texts(pairs, release) + fmt.Sprintf("; messages at the most: %d against %d", sent, baseSent)}
}

// judgePolling compares the compute rates of the polling version (ours) and of
// the phases, which do not poll while they compute. A thread that polls takes nothing
// from one that has a CPU of its own.
func judgePolling(p pair, cpus string) claim {
	compute := fagus.PartCompute.String()
	ours, base := p.ours.TimeNs[compute], p.base.TimeNs[compute]
	if ours.Median == 0 {
		return claim{claimPolling, notSupported, fmt.Sprintf("n = %d: no compute time was measured", p.n)}
	}
	percent := func(base, ours int64) float64 { return 100 * float64(base) / float64(ours) }
	rates := extent{percent(base.Min, ours.Max), percent(base.Max, ours.Min)}
	return claim{claimPolling, rates.within(halfFrom, halfTo), fmt.Sprintf("n = %d: compute takes %v in %s and %v in %s, a rate of %.0f %%, with %s; taken as about half from %d to %d %%",
		p.n, ours, p.ours.Version, base, p.base.Version, percent(base.Median, ours.Median), cpus, halfFrom, halfTo)}
}

// lead is whether ours is ahead at the largest size, and by more from each size
// to the next.
func lead(pairs []pair, part string) verdict {
	v := pairs[len(pairs)-1].faster(part)
	for i, p := range pairs[1:] {
		before, now := pairs[i].lead(part), p.lead(part)
		v = worst(v, extent{now.least - before.most, now.most - before.least}.above(0))
	}
	return v
}

// ahead is how much less time ours takes, in nanoseconds.
func (p *pair) ahead(part string) int64 {
	return p.base.TimeNs[part].Median - p.ours.TimeNs[part].Median
}

// lead is ahead of any two runs, in nanoseconds.
func (p *pair) lead(part string) extent { return minus(p.base.TimeNs[part], p.ours.TimeNs[part]) }

func (p *pair) faster(part string) verdict { return p.lead(part).above(0) }

// apart is how much more time ours takes in any two runs, in percent.
func (p *pair) apart(part string) extent {
	ours, base := p.ours.TimeNs[part], p.base.TimeNs[part]
	return extent{relative(ours.Min, base.Max), relative(ours.Max, base.Min)}
}

// worst is the verdict on two things that must both hold.
func worst(a, b verdict) verdict {
	for _, v := range []verdict{notSupported, withinSpread} {
		if a == v || b == v {
			return v
		}
	}
	return supported
}

// relative is how much more a is than b, in percent of b.
func relative(a, b int64) float64 {
	switch {
	case a == b:
		return 0
	case b == 0:
		return math.Inf(1)
	}
	return 100 * float64(a-b) / float64(b)
}

// text shows a part of both versions.
func (p *pair) text(part string) string {
	ours, base := p.ours.TimeNs[part], p.base.TimeNs[part]
	s := fmt.Sprintf("n = %d: %v against %v", p.n, ours, base)
	if base.Median != 0 {
		s += fmt.Sprintf(" (%+.1f %%)", relative(ours.Median, base.Median))
	}
	return s
}

// texts shows a part at every size.
func texts(pairs []pair, part string) string {
	var list []string
	for _, p := range pairs {
		list = append(list, p.text(part))
	}
	return fmt.Sprintf("%s against %s: %s", pairs[0].ours.Version, pairs[0].base.Version, strings.Join(list, "; "))
}

// leads says by how much ours is ahead at every size.
func leads(pairs []pair, part string) string {
	var list []string
	for _, p := range pairs {
		list = append(list, fmt.Sprintf("%.3f ms at n = %d", float64(nsTime(p.ahead(part)))/float64(dimmnet.Millisecond), p.n))
	}
	return "ahead by " + strings.Join(list, ", ")
}

// mostly names the part in which the versions differ most: the reason for what
// the totals show.
func (p *pair) mostly() string {
	most := fagus.PartCompute.String()
	for part := range fagus.Parts {
		if name := part.String(); abs(p.ahead(name)) > abs(p.ahead(most)) {
			most = name
		}
	}
	than := "less"
	if p.ahead(most) < 0 {
		than = "more"
	}
	return fmt.Sprintf("at n = %d they differ most in %s: %v %s", p.n, most, nsTime(abs(p.ahead(most))), than)
}

// asked says how often each version had to wait for others: the reason for what
// acquiring takes.
func (p *pair) asked() string {
	var phases, requests uint64
	for _, r := range p.ours.Runs {
		phases = max(phases, r.Phases)
	}
	for _, r := range p.base.Runs {
		requests = max(requests, r.Messages.Requests)
	}
	return fmt.Sprintf("at n = %d %s takes %d phases, and the ranks of %s make %d requests together",
		p.n, p.ours.Version, phases, p.base.Version, requests)
}

// unequally says how much the ranks differ in a part: a mean may hide that one of them
// has nothing to wait for.
func (p *pair) unequally(part string) string {
	text := fmt.Sprintf("at n = %d the ranks", p.n)
	for i, c := range []*compared{&p.ours, &p.base} {
		if len(c.Runs) == 0 {
			return p.asked()
		}
		least, most := int64(math.MaxInt64), int64(0)
		for _, r := range c.Runs[0].Ranks {
			least, most = min(least, r.TimeNs[part]), max(most, r.TimeNs[part])
		}
		text += fmt.Sprintf("%s of %s take %v to %v", []string{"", ", those"}[i], c.Version, nsTime(least), nsTime(most))
	}
	return text + "; " + p.asked()
}

func abs(x int64) int64 { return max(x, -x) }
