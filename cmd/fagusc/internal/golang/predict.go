package golang

import (
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// Sizes are the values of integers on which the time of a function depends, by name: parameters,
// and lengths of slices as len(NAME), or columns(NAME) for the length of rows.
type Sizes map[string]int64

// errSizes is the error of values that are missing.
var errSizes = errors.New("the time is not known")

// longest is the longest time that is predicted, in ns; a fagus.Time cannot be much longer.
const longest = 100 * 24 * 3600 * 1e9

// mostSteps bounds how many iterations a prediction goes through one by one.
const mostSteps = 1 << 22

// Predict describes how long the function takes on one rank and on so many ranks, with sizes, as
// generated code predicts it when it chooses; meeting is the time of a Barrier.
func (f *Function) Predict(sizes Sizes, ranks int, meeting fagus.Time) (string, error) {
	s, err := f.schedule()
	if err != nil {
		return "", err
	}
	e := &emitter{Function: f, Schedule: s}
	p := &predictor{Estimate: region.Estimate{Ranks: ranks}, sizes: sizes, here: make(map[*loops.Symbol]int64)}
	e.costs(p, f.Body)
	for _, a := range f.arrays {
		if !a.Local {
			p.Copy(p.bytes(a), s.Written[a.Array])
		}
	}
	if len(p.missing) > 0 {
		return "", fmt.Errorf("%w: give a value for %s", errSizes, strings.Join(p.missing, ", "))
	}
	if p.steps > mostSteps {
		return "", fmt.Errorf("%w: the function has more than %d steps", errSizes, mostSteps)
	}
	barrier := float64(meeting) / float64(fagus.Nanosecond)
	if t := p.AllRanks(barrier, region.Copies); max(p.OneRank(), t) > longest {
		return "", fmt.Errorf("%w: the function takes more than 100 days", errSizes)
	}
	text := fmt.Sprintf("predicted: one rank %v", nanoseconds(p.OneRank()))
	for _, how := range []region.Manner{region.InPlace, region.OneCopy, region.Copies} {
		text += fmt.Sprintf("; %d ranks %v %v", ranks, how, nanoseconds(p.AllRanks(barrier, how)))
		if p.Alone(barrier, how) {
			text += " (so one rank)"
		}
	}
	return text + fmt.Sprintf("; %.0f steps", p.Steps), nil
}

func nanoseconds(x float64) fagus.Time { return fagus.Time(x * float64(fagus.Nanosecond)) }

// predictor computes what costWriter writes statements for.
type predictor struct {
	region.Estimate
	sizes   Sizes
	here    map[*loops.Symbol]int64 // values of the indices around, and of symbols known so far
	missing []string                // what sizes lacks
	steps   int                     // so many iterations were gone through
}

func (p *predictor) step() { p.Step() }

func (p *predictor) works(s *loops.Step, w loops.Work) {
	parts := 0
	if s.Kind == loops.Parallel {
		parts = int(p.iterations([]loops.Frame{{Loop: s.Node.Loop}}))
	}
	p.Work(parts, w.Accesses, p.iterations(w.Frames))
}

func (p *predictor) scatters(w loops.Work) { p.Scatter(p.iterations(w.Frames)) }

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
	p.each(frames[0].Loop, func() { n += p.iterations(frames[1:]) })
	return n
}

// each calls f with each value of a loop's index.
func (p *predictor) each(l *loops.Loop, f func()) {
	lo, hi := p.bounds(l)
	for i := lo; i < hi && len(p.missing) == 0; i += l.Step {
		if p.steps++; p.steps > mostSteps {
			break
		}
		p.here[l.Index] = i
		f()
	}
	delete(p.here, l.Index)
}

func (p *predictor) unrolled(l *loops.Loop, inside func()) { p.each(l, inside) }

func (p *predictor) repeated(l *loops.Loop, known bool, inside func()) {
	times := float64(region.UnknownTimes)
	if known {
		times = p.iterations([]loops.Frame{{Loop: l}})
	}
	p.Again(times)
	inside()
	p.End()
}

func (p *predictor) under(c *loops.Cond, inside func()) {
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
	v, ok := p.evaluate(s.Name)
	if name := strings.ReplaceAll(s.Name, "region.Columns(", "columns("); !ok && !slices.Contains(p.missing, name) {
		p.missing = append(p.missing, name)
	}
	if s.Loop == nil {
		p.here[s] = v
	}
	return v
}

// bytes returns the size of an array.
func (p *predictor) bytes(a *array) float64 {
	n := p.symbol(&loops.Symbol{Name: "len(" + a.Name + ")"})
	if a.columns != "" {
		n *= p.symbol(&loops.Symbol{Name: a.columns})
	}
	return float64(n) * float64(types.SizesFor("gc", "amd64").Sizeof(a.element))
}

// evaluate returns the value of an expression of sizes.
func (p *predictor) evaluate(text string) (int64, bool) {
	if v, ok := p.sizes[text]; ok { // also a field, such as grid.rows
		return v, true
	}
	pkg := types.NewPackage("sizes", "sizes")
	names := strings.NewReplacer("region.Columns(", "columns_", "columns(", "columns_", "len(", "len_", ")", "", ".", "_")
	if strings.HasPrefix(text, "len(") || strings.HasPrefix(text, "region.Columns(") {
		text = names.Replace(text)
	}
	text = strings.ReplaceAll(text, ".", "_")
	for name, v := range p.sizes {
		if name != text {
			name = names.Replace(name)
		}
		pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, types.Typ[types.Int], constant.MakeInt64(v)))
	}
	v, err := types.Eval(token.NewFileSet(), pkg, token.NoPos, text)
	if err != nil || v.Value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v.Value))
}
