package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Advice is a change of the program, and what it would save alone.
type Advice struct {
	Kind     string // such as "imbalance"; see the kinds below
	What     string // what takes time, with source lines
	Do       string // what to change
	If       string // what the trace does not say, and must hold; or ""
	Line     string // the most important line; or ""
	Variable string // or the name of a Group; or ""
	Saves    Time   // of Result.Total
	Share    float64
	Joined   int // of Grain: how many calls are made one
	// Most is set if Saves is the most that the change can save: the trace does not say how much of
	// it is necessary.
	Most bool
}

// The kinds of advice.
const (
	Imbalance = "imbalance" // ranks compute for different times
	Grain     = "grain"     // calls take long for what is computed between them
	Serial    = "serial"    // ranks wait for one variable
	Sharing   = "sharing"   // ranks change parts of their own of one variable
	Binding   = "binding"   // a variable is larger than what is used of it
	Needless  = "needless"  // a call that moves nothing
	Declare   = "declare"   // Release has to find out what was written
	Mode      = "mode"      // ranks wait for ranks that have what others want
	Placement = "placement" // data are made elsewhere, or have copies that nobody needs
)

// leastShare is the saving from which on a change is worth reading about.
const leastShare = 0.02

// predictor tries changes in the model.
type predictor struct {
	*model
	res  *Result
	time Time // of the model with nothing changed
}

func (res *Result) predict(r *run) {
	if len(r.ranks) == 0 || len(r.ranks) < r.Nodes {
		return
	}
	p := &predictor{model: newModel(r), res: res}
	t, ok := p.model.time(p.acts)
	part := p.part()
	res.Model = Model{t, part, ok && part > 0 && math.Abs(float64(t-part)) <= farthest*float64(part)}
	if !res.Model.Ok {
		return
	}
	p.time = t
	p.imbalances()
	p.grains()
	p.held()
	p.bindings()
	p.needless()
	p.declare()
	p.modes()
	p.placement()
	slices.SortStableFunc(res.Advice, func(a, b Advice) int { return cmp.Compare(b.likely(), a.likely()) })
}

// likely returns what a change may be expected to save: half of it, if something else must hold.
func (a *Advice) likely() Time {
	if a.If != "" || a.Most {
		return a.Saves / 2
	}
	return a.Saves
}

// saves sets how much a change saves, and reports whether it is worth it.
func (p *predictor) saves(a *Advice, change func(rank int, acts []act) []act) bool {
	t, ok := p.try(change)
	a.Share = 0
	if ok {
		a.Share = 1 - float64(t)/float64(p.time)
	}
	a.Saves = Time(a.Share * float64(p.res.Total))
	return a.Share >= leastShare
}

// little reports whether the time of some calls of all ranks is so little that no change of them is
// worth it.
func (p *predictor) little(t Time) bool { return float64(t) < leastShare*float64(p.res.Total) }

// advise adds advice, if it is worth it.
func (p *predictor) advise(a Advice, change func(rank int, acts []act) []act) {
	if p.saves(&a, change) {
		p.res.Advice = append(p.res.Advice, a)
	}
}

// request is what a request takes in Threaded mode, without data: about a microsecond where
// variables are locks in memory, and 100 us on a simulated DIMMnet-1.
func (p *predictor) request() Time {
	switch {
	case p.Clock == dimmnet.Virtual:
		return 100 * dimmnet.Microsecond
	case p.inMemory():
		return min(p.agree, dimmnet.Microsecond)
	}
	return p.agree
}

// inMemory reports whether the ranks share memory.
func (p *predictor) inMemory() bool {
	return p.Clock != dimmnet.Virtual && (p.Net == "shm" || p.Net == "inproc" || p.Net == "")
}
