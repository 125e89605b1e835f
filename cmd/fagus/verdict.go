package main

// verdict says what a run has to say to a claim.
type verdict string

// The verdicts. A claim stays open if some runs bear it out and others do not.
const (
	supported    verdict = "supported"
	notSupported verdict = "not supported"
	withinSpread verdict = "open: the difference is within the spread"
)

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

// extent is from the least to the most that the runs of two versions make of
// something, whichever two of them are held against each other.
type extent struct{ least, most float64 }

// minus is how much more a is than b.
func minus(a, b sample) extent { return extent{float64(a.Min - b.Max), float64(a.Max - b.Min)} }

// above is whether all of e is more than x.
func (e extent) above(x float64) verdict {
	switch {
	case e.least > x:
		return supported
	case e.most <= x:
		return notSupported
	}
	return withinSpread
}

// within is whether all of e is from lo to hi.
func (e extent) within(lo, hi float64) verdict {
	switch {
	case lo <= e.least && e.most <= hi:
		return supported
	case e.most < lo || hi < e.least:
		return notSupported
	}
	return withinSpread
}
