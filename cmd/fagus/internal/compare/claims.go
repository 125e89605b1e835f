package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

// claim is a claim of the paper, and what a comparison says about it.
type claim struct {
	Claim   string  `json:"claim"` // the paper's words (docs/lab/papers.md, Fagus)
	Verdict verdict `json:"verdict"`
	Measure string  `json:"measure"` // what is compared, and the limit
	Numbers string  `json:"numbers"`
	Depends string  `json:"depends_on,omitempty"` // costs of the model; none on real processors
}

// The limits that stand for the paper's words, in percent. The paper prints no numbers.
const (
	equalWithin  = 5  // "equal": the totals differ by at most 5 %
	slightlyUpTo = 25 // "slightly slower": the total is at most 25 % longer
	halfFrom     = 40 // the least percentage of the compute rate that is "about half"
	halfTo       = 60
)

// The claims, in the paper's words and order.
const (
	claimEqual   = "total time is equal for small matrices"
	claimAhead   = "D1-Fagus2 wins by more as the matrix grows"
	claimAcquire = "acquire is slightly slower in D1-Fagus2, where one side only sends and the other only receives"
	claimRelease = "release is faster in D1-Fagus2: D1-Fagus communicates there, D1-Fagus2 does not"
	claimUpdate  = "update is faster in D1-Fagus2, by more the more data: one batch instead of a request for each variable"
	claimPolling = "without the TCP notice, a polling thread takes close to half of the compute rate"
)

// leastToGrow is the number of sizes needed to judge whether a lead grows with the size.
const leastToGrow = 2

// pair has the results of two versions for one size of the problem.
type pair struct {
	n           int
	ours, other compared
}

// claims judges the paper's claims, which are about matmul, in their order. The claims are about
// communication, so on a single node the list is empty. It is also empty if no claim can be judged.
func claims(c *comparison) []claim {
	list := []claim{}
	if c.Nodes < 2 || c.App != ofThePaper || c.Command != nil {
		return list
	}
	pairs, polled := pairUp(c, contest.RolePhase, contest.RoleThreaded), pairUp(c, contest.RolePolling, contest.RolePhase)
	if len(pairs) == 0 && len(polled) == 0 {
		return list
	}
	missing := func(pairs []pair, versions string, sizes int) string {
		switch {
		case len(pairs) == 0:
			return "needs " + versions
		case len(pairs) < sizes:
			return "needs two sizes"
		}
		return ""
	}
	const versions = "D1-Fagus2 and D1-Fagus"
	one, two := missing(pairs, versions, 1), missing(pairs, versions, leastToGrow)
	polling := missing(polled, "D1-Fagus polling and D1-Fagus2", 1)
	// The measures are the same for all: total of the slowest rank, parts on the critical path, in
	// milliseconds and in percent. Depends says on what a verdict depends, as far as fagus compare
	// matmul --sensitivity and D1-Fagus requests show it.
	for _, x := range []struct {
		claim
		missing string
		judge   func() (verdict, []string)
	}{
		{claim{
			Claim:   claimEqual,
			Measure: fmt.Sprintf("total at the smallest size, taken as equal within %d %%", equalWithin),
			Depends: "the plain loop, which misses the cache in every step, so that communication is short beside computing; no cost halved or doubled changes that",
		}, two, func() (verdict, []string) { return judgeEqual(pairs[0]) }},
		{claim{
			Claim:   claimAhead,
			Measure: "the lead in total, in ms: more at every size, and above 0 at the largest; in percent it may fall, because computing grows faster",
			Depends: "Update of D1-Fagus, which waits for the answer to one request before it makes the next (assumed; D1-Fagus requests does not), against what acquire takes longer (take)",
		}, two, func() (verdict, []string) { return judgeAhead(pairs) }},
		{claim{
			Claim:   claimAcquire,
			Measure: fmt.Sprintf("acquire: longer at every size, by at most %d %%", slightlyUpTo),
			Depends: "what writing the received data to memory costs (take), for which D1-Fagus has a thread and a processor of its own (copy), against the reading of notices (notice); and on D1-Fagus taking free variables without a message, which D1-Fagus requests does not",
		}, one, func() (verdict, []string) { return judgeAcquire(pairs) }},
		{claim{
			Claim:   claimRelease,
			Measure: "release: shorter at every size, and no messages",
			Depends: "no cost: D1-Fagus2 sends nothing there",
		}, one, func() (verdict, []string) { return judgeRelease(pairs) }},
		{claim{
			Claim:   claimUpdate,
			Measure: "the lead in update, in ms: above 0 at every size, and more at every larger one",
			Depends: "D1-Fagus, which waits for the answer to one request before it makes the next (assumed; beside D1-Fagus requests, update is as fast), and the number of variables: one for each row of C",
		}, two, func() (verdict, []string) { return judgeUpdate(pairs) }},
		{claim{
			Claim:   claimPolling,
			Measure: fmt.Sprintf("compute without a polling thread in percent of compute beside one, at the largest size; taken as half from %d to %d %%", halfFrom, halfTo),
			Depends: "turns on the memory bus: a line from memory (miss) waits for an uncached read of the polling thread (bus); a program without misses keeps its rate on two processors",
		}, polling, func() (verdict, []string) { return judgePolling(polled[len(polled)-1], c.CPUsText()) }},
	} {
		numbers := []string{x.missing}
		x.Verdict = notJudged
		if x.missing == "" {
			x.Verdict, numbers = x.judge()
			if c.Clock == dimmnet.Wall && c.Repeat < 2 {
				x.Verdict = oneRun
			}
		}
		x.Numbers = strings.Join(numbers, "; ")
		if c.Clock == dimmnet.Wall {
			x.Depends = ""
		}
		list = append(list, x.claim)
	}
	return list
}

// pairUp returns a pair for each size that ran in the versions of both roles, smallest first.
func pairUp(c *comparison, ours, other contest.Role) (pairs []pair) {
	find := func(n int, as contest.Role) (compared, bool) {
		for _, v := range c.Versions {
			for _, r := range c.OfSize(n) {
				if v.Role == as && r.Version == v.Name {
					return r, true
				}
			}
		}
		return compared{}, false
	}
	for _, n := range c.Sizes {
		o, okOurs := find(n, ours)
		b, okBase := find(n, other)
		if okOurs && okBase {
			pairs = append(pairs, pair{n, o, b})
		}
	}
	return pairs
}

func judgeEqual(p pair) (verdict, []string) {
	return p.equal(), []string{texts([]pair{p}, totalName), p.mostly(), p.asked()}
}

func judgeAhead(pairs []pair) (verdict, []string) {
	numbers := []string{texts(pairs, totalName), pairs[len(pairs)-1].mostly()}
	if !slices.ContainsFunc(pairs, func(p pair) bool { return p.equal() != supported }) {
		numbers = append(numbers, fmt.Sprintf("in percent all totals are equal by the limit of the first claim, %d %%", equalWithin))
	}
	return lead(pairs, totalName), numbers
}

func judgeUpdate(pairs []pair) (verdict, []string) {
	update := fagus.PartUpdate.String()
	v := lead(pairs, update)
	for _, p := range pairs {
		v = worst(v, p.faster(update))
	}
	return v, []string{texts(pairs, update), pairs[len(pairs)-1].asked()}
}

func judgeAcquire(pairs []pair) (verdict, []string) {
	acquire, v := fagus.PartAcquire.String(), supported
	for _, p := range pairs {
		slower := minus(p.ours.TimeNs[acquire], p.other.TimeNs[acquire]).above(0)
		v = worst(v, worst(slower, p.apart(acquire).within(math.Inf(-1), slightlyUpTo)))
	}
	return v, []string{texts(pairs, acquire), pairs[len(pairs)-1].asked()}
}

func judgeRelease(pairs []pair) (verdict, []string) {
	release, v := fagus.PartRelease.String(), supported
	var sent, otherSent uint64
	for _, p := range pairs {
		v = worst(v, p.faster(release))
	}
	for _, p := range pairs {
		if p.ours.ReleaseMessages == nil || p.other.ReleaseMessages == nil {
			return v, []string{texts(pairs, release), "messages are not counted on this network"}
		}
		sent, otherSent = max(sent, *p.ours.ReleaseMessages), max(otherSent, *p.other.ReleaseMessages)
	}
	if sent > 0 {
		v = notSupported
	}
	return v, []string{texts(pairs, release), fmt.Sprintf("messages at the most: %d against %d", sent, otherSent)}
}

// judgePolling compares the compute rates of the polling version (ours) and the phase version,
// which does not poll while it computes. A polling thread slows down computation only if both
// share a processor.
func judgePolling(p pair, cpus string) (verdict, []string) {
	compute := fagus.PartCompute.String()
	ours, other := p.ours.TimeNs[compute], p.other.TimeNs[compute]
	if ours.Median == 0 {
		return notSupported, []string{fmt.Sprintf("n = %d: no compute time was measured", p.n)}
	}
	rate := func(other, ours int64) float64 { return 100 * float64(other) / float64(ours) }
	rates := extent{rate(other.Min, ours.Max), rate(other.Max, ours.Min)}
	return rates.within(halfFrom, halfTo), []string{fmt.Sprintf("n = %d: compute takes %v in %s and %v in %s, a rate of %.0f %%, with %s",
		p.n, ours, p.ours.Version, other, p.other.Version, rate(other.Median, ours.Median), cpus)}
}

// lead judges whether ours is faster at the largest size, and its lead grows from size to size.
func lead(pairs []pair, part string) verdict {
	v := pairs[len(pairs)-1].faster(part)
	for i, p := range pairs[1:] {
		before, now := pairs[i].lead(part), p.lead(part)
		v = worst(v, extent{now.least - before.most, now.most - before.least}.above(0))
	}
	return v
}

// ahead returns other's median time in a part minus ours, in nanoseconds.
func (p *pair) ahead(part string) int64 {
	return p.other.TimeNs[part].Median - p.ours.TimeNs[part].Median
}

// lead returns the range of ahead over all pairs of runs, in nanoseconds.
func (p *pair) lead(part string) extent { return minus(p.other.TimeNs[part], p.ours.TimeNs[part]) }

func (p *pair) faster(part string) verdict { return p.lead(part).above(0) }

// apart returns the range of how much more time ours takes over all pairs of runs, in percent.
func (p *pair) apart(part string) extent {
	ours, other := p.ours.TimeNs[part], p.other.TimeNs[part]
	return extent{relative(ours.Min, other.Max), relative(ours.Max, other.Min)}
}

// equal judges whether the totals are equal.
func (p *pair) equal() verdict { return p.apart(totalName).within(-equalWithin, equalWithin) }

// worst returns the less favourable of two verdicts: both must hold.
func worst(a, b verdict) verdict {
	for _, v := range []verdict{notSupported, withinSpread} {
		if a == v || b == v {
			return v
		}
	}
	return supported
}

func relative(a, b int64) float64 {
	switch {
	case a == b:
		return 0
	case b == 0:
		return math.Inf(1)
	}
	return 100 * float64(a-b) / float64(b)
}

func (p *pair) text(part string) string {
	ours, other := p.ours.TimeNs[part], p.other.TimeNs[part]
	s := fmt.Sprintf("n = %d: %v against %v", p.n, ours, other)
	if other.Median != 0 {
		sign := "+"
		if p.ahead(part) > 0 {
			sign = "-"
		}
		s += fmt.Sprintf(" (%s %%, %s%v)", percent(relative(ours.Median, other.Median)), sign, base.Nanoseconds(abs(p.ahead(part))))
	}
	return s
}

// percent returns a text with at least two digits.
func percent(x float64) string {
	if math.Abs(x) >= 1 {
		return fmt.Sprintf("%+.1f", x)
	}
	return fmt.Sprintf("%+.2g", x)
}

func texts(pairs []pair, part string) string {
	list := base.Map(pairs, func(p pair) string { return p.text(part) })
	return fmt.Sprintf("%s against %s: %s", pairs[0].ours.Version, pairs[0].other.Version, strings.Join(list, "; "))
}

// mostly returns text that names the part in which the two versions' times differ most.
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
	return fmt.Sprintf("at n = %d they differ most in %s: %v %s", p.n, most, base.Nanoseconds(abs(p.ahead(most))), than)
}

// asked returns text: the numbers of phases and requests, which explain the cost of Acquire.
func (p *pair) asked() string {
	var phases, requests, takes uint64
	for _, r := range p.ours.Runs {
		phases = max(phases, r.Phases)
	}
	for _, r := range p.other.Runs {
		requests, takes = max(requests, r.Messages.Requests), max(takes, r.Messages.Takes)
	}
	text := fmt.Sprintf("at n = %d %s takes %d phases, and the ranks of %s make %d requests together",
		p.n, p.ours.Version, phases, p.other.Version, requests)
	if takes > 0 {
		text += fmt.Sprintf(" and take %d variables without one", takes)
	}
	return text
}

func abs(x int64) int64 { return max(x, -x) }

// verdict says whether the measured runs support a claim.
type verdict string

// The verdicts. withinSpread means that some pairs of runs support the claim and others do not, and
// notJudged that sizes or versions are missing.
const (
	supported    verdict = "supported"
	notSupported verdict = "not supported"
	withinSpread verdict = "open: the difference is within the spread"
	oneRun       verdict = "open: one run has no spread"
	notJudged    verdict = "not judged"
)

// Class returns the class of the verdict in the style sheet of the page.
func (v verdict) Class() string {
	switch v {
	case supported:
		return "supported"
	case notSupported:
		return "refuted"
	}
	return "open"
}

// extent is the range of a quantity over all pairs of runs, one run from each of two versions.
type extent struct{ least, most float64 }

func minus(a, b repeat.Sample) extent {
	return extent{float64(a.Min - b.Max), float64(a.Max - b.Min)}
}

// above judges the claim that the whole range e exceeds x.
func (e extent) above(x float64) verdict {
	switch {
	case e.least > x:
		return supported
	case e.most <= x:
		return notSupported
	}
	return withinSpread
}

// within judges the claim that the whole range e lies between lo and hi.
func (e extent) within(lo, hi float64) verdict {
	switch {
	case lo <= e.least && e.most <= hi:
		return supported
	case e.most < lo || hi < e.least:
		return notSupported
	}
	return withinSpread
}
