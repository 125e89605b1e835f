package compare

import "github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"

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

func minus(a, b experiment.Sample) extent {
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
