package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
)

// claim is one of the paper's, held against a run.
type claim struct {
	Claim   string  `json:"claim"`
	Verdict verdict `json:"verdict"`
	Numbers string  `json:"numbers"`
}

// verdict says what a run has to say to a claim.
type verdict string

// The verdicts. Measured runs leave a claim open if the runs of the two versions
// overlap.
const (
	supported    verdict = "supported"
	notSupported verdict = "not supported"
	withinSpread verdict = "open: the difference is within the spread"
)

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
// comparison allow to judge.
func claims(c *comparison) []claim {
	list := []claim{}
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
	ours, base := p.ours.TimeNs["total"], p.base.TimeNs["total"]
	apart := relative(ours.Median, base.Median)
	v := notSupported
	if -equalWithin <= apart && apart <= equalWithin {
		v = supported
	}
	return claim{claimEqual, v, fmt.Sprintf("%s; taken as equal within %d %%; %s; %s",
		texts([]pair{p}, "total"), equalWithin, p.mostly(), p.asked())}
}

func judgeAhead(pairs []pair) claim {
	return claim{claimAhead, lead(pairs, "total"), texts(pairs, "total") + "; " + pairs[len(pairs)-1].mostly()}
}

func judgeUpdate(pairs []pair) claim {
	update := fagus.PartUpdate.String()
	v := lead(pairs, update)
	for _, p := range pairs {
		v = worst(v, p.faster(update))
	}
	return claim{claimUpdate, v, texts(pairs, update)}
}

func judgeAcquire(pairs []pair) claim {
	acquire, v := fagus.PartAcquire.String(), supported
	for _, p := range pairs {
		ours, base := p.ours.TimeNs[acquire], p.base.TimeNs[acquire]
		v = worst(v, below(base, ours))
		if relative(ours.Median, base.Median) > slightlyUpTo {
			v = notSupported
		}
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
	ours, base := p.ours.TimeNs[compute].Median, p.base.TimeNs[compute].Median
	if ours == 0 {
		return claim{claimPolling, notSupported, fmt.Sprintf("n = %d: no compute time was measured", p.n)}
	}
	rate, v := 100*float64(base)/float64(ours), notSupported
	if halfFrom <= rate && rate <= halfTo {
		v = supported
	}
	return claim{claimPolling, v, fmt.Sprintf("n = %d: compute takes %v in %s and %v in %s, a rate of %.0f %%, with %s; taken as about half from %d to %d %%",
		p.n, p.ours.TimeNs[compute], p.ours.Version, p.base.TimeNs[compute], p.base.Version,
		rate, cpus, halfFrom, halfTo)}
}

// lead is whether ours is ahead at the largest size, and by more from each size
// to the next.
func lead(pairs []pair, part string) verdict {
	v := pairs[len(pairs)-1].faster(part)
	for i, p := range pairs[1:] {
		if p.ahead(part) <= pairs[i].ahead(part) {
			return notSupported
		}
	}
	return v
}

// ahead is how much less time ours takes, in nanoseconds.
func (p *pair) ahead(part string) int64 {
	return p.base.TimeNs[part].Median - p.ours.TimeNs[part].Median
}

func (p *pair) faster(part string) verdict { return below(p.ours.TimeNs[part], p.base.TimeNs[part]) }

// below is whether a is less than b.
func below(a, b sample) verdict {
	switch {
	case a.Median >= b.Median:
		return notSupported
	case a.Max >= b.Min:
		return withinSpread
	}
	return supported
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

// relative is how much more a is than b, in percent of b; 0 if b is 0.
func relative(a, b int64) float64 {
	if b == 0 {
		return 0
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

// Class is the verdict in the page's style sheet.
func (v verdict) Class() string {
	switch v {
	case supported:
		return "supported"
	case notSupported:
		return "refuted"
	}
	return "open"
}
