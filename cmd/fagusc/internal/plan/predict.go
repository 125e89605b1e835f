package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// errSizes is the error of values that are missing.
var errSizes = errors.New("the time is not known")

// longest is the longest time that is predicted, in ns; a fagus.Time cannot be much longer.
const longest = 100 * 24 * 3600 * 1e9

// mostSteps bounds how many iterations a prediction goes through one by one.
const mostSteps = 1 << 22

// Values returns the value of a symbol that is no index, or the name of the value that is missing.
type Values func(s *loops.Symbol) (v int64, missing string)

// Predict describes how long the function takes on one rank and on so many ranks, as generated
// code predicts it when it chooses; meeting is the time of a Barrier.
func (p *Plan) Predict(values Values, ranks int, meeting fagus.Time) (string, error) {
	e := &predictor{Estimate: region.Estimate{Ranks: ranks}, values: values, here: make(map[*loops.Symbol]int64)}
	p.Count(e)
	for _, a := range p.of.Arrays {
		if !a.Local {
			e.Copy(float64(e.value(a.Size))*float64(a.Element.Bytes), p.Written[a])
		}
	}
	if len(e.missing) > 0 {
		return "", fmt.Errorf("%w: give a value for %s", errSizes, strings.Join(e.missing, ", "))
	}
	if e.steps > mostSteps {
		return "", fmt.Errorf("%w: the function has more than %d steps", errSizes, mostSteps)
	}
	barrier := float64(meeting) / float64(fagus.Nanosecond)
	if t := e.AllRanks(barrier, region.Copies); max(e.OneRank(), t) > longest {
		return "", fmt.Errorf("%w: the function takes more than 100 days", errSizes)
	}
	text := fmt.Sprintf("predicted: one rank %v", nanoseconds(e.OneRank()))
	for _, how := range []region.Manner{region.InPlace, region.OneCopy, region.Copies} {
		text += fmt.Sprintf("; %d ranks %v %v", ranks, how, nanoseconds(e.AllRanks(barrier, how)))
		if e.Alone(barrier, how) {
			text += " (so one rank)"
		}
	}
	return text + fmt.Sprintf("; %.0f steps", e.Steps), nil
}

func nanoseconds(x float64) fagus.Time { return fagus.Time(x * float64(fagus.Nanosecond)) }

// predictor is a Counter that computes an estimate.
type predictor struct {
	region.Estimate
	values  Values
	here    map[*loops.Symbol]int64 // values of the indices around, and of symbols known so far
	missing []string                // names of values that are not known
	steps   int                     // so many iterations were gone through
}

func (p *predictor) Meets() { p.Step() }

func (p *predictor) Works(s *loops.Step, w loops.Work) {
	parts := 0
	if s.Kind == loops.Parallel {
		parts = int(p.iterations([]loops.Frame{{Loop: s.Node.Loop}}))
	}
	p.Work(parts, w.Accesses, p.iterations(w.Frames))
}

func (p *predictor) Scatters(w loops.Work) { p.Scatter(p.iterations(w.Frames)) }

// iterations returns how often the innermost of several loops is executed.
func (p *predictor) iterations(frames []loops.Frame) (n float64) {
	if len(frames) == 0 {
		return 1
	}
	if !frames[0].Each {
		lo, hi := p.bounds(frames[0].Loop)
		by := frames[0].Loop.Step
		return float64(max(0, (hi-lo+by-1)/by)) * p.iterations(frames[1:])
	}
	p.Each(frames[0].Loop, func() { n += p.iterations(frames[1:]) })
	return n
}

// Each calls inside with each value of a loop's index.
func (p *predictor) Each(l *loops.Loop, inside func()) {
	lo, hi := p.bounds(l)
	for i := lo; i < hi && len(p.missing) == 0; i += l.Step {
		if p.steps++; p.steps > mostSteps {
			break
		}
		p.here[l.Index] = i
		inside()
	}
	delete(p.here, l.Index)
}

func (p *predictor) Repeats(l *loops.Loop, known bool, inside func()) {
	times := float64(region.UnknownTimes)
	if known {
		times = p.iterations([]loops.Frame{{Loop: l}})
	}
	p.Again(times)
	inside()
	p.End()
}

func (p *predictor) Under(c *loops.Cond, inside func()) {
	if !slices.ContainsFunc(c.AtLeast0, func(q loops.Poly) bool { return p.value(q) < 0 }) && (c.Not0 == nil || p.value(*c.Not0) != 0) {
		inside()
	}
}

// bounds returns the first value of a loop's index, and the end.
func (p *predictor) bounds(l *loops.Loop) (lo, hi int64) {
	lo, hi = p.value(l.Lo[0]), p.value(l.Hi[0])
	for _, q := range l.Lo[1:] {
		lo = max(lo, p.value(q))
	}
	for _, q := range l.Hi[1:] {
		hi = min(hi, p.value(q))
	}
	return lo, hi
}

func (p *predictor) value(q loops.Poly) int64 { return q.Value(p.symbol) }

// symbol returns the value of a symbol.
func (p *predictor) symbol(s *loops.Symbol) int64 {
	if v, ok := p.here[s]; ok {
		return v
	}
	v, missing := p.values(s)
	if missing != "" && !slices.Contains(p.missing, missing) {
		p.missing = append(p.missing, missing)
	}
	if s.Loop == nil {
		p.here[s] = v
	}
	return v
}
