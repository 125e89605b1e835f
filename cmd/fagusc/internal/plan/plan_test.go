package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/plan"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// stencil is a second front end: it builds the form of a function without any source text. Its
// statements are functions of Go.
//
//	for t = 0; t < steps; t++ {
//		for i = 1; i < n-1; i++ { b[i] = a[i-1] + a[i] + a[i+1]; sum += b[i] }
//		exchange a and b
//	}
type stencil struct {
	*loops.Function
	n, steps *loops.Symbol
	a, b     *loops.Array
	sum      *loops.Scalar
}

// statement is what a statement of the stencil does at an index.
type statement func(m *machine, i int)

func newStencil() *stencil {
	s := &stencil{n: &loops.Symbol{Name: "n"}, steps: &loops.Symbol{Name: "steps"}}
	number := &loops.Type{Class: loops.Integer, Bytes: 8}
	s.a = &loops.Array{Name: "a", Element: number, Size: loops.Of(s.n)}
	s.b = &loops.Array{Name: "b", Element: number, Size: loops.Of(s.n)}
	s.sum = &loops.Scalar{Name: "sum", Type: number, Outer: true}
	inner := over("i", loops.Number(1), loops.Of(s.n).Minus(loops.Number(1)))
	outer := over("t", loops.Number(0), loops.Of(s.steps))
	outer.Exchanges = true
	i := loops.Of(inner.Index)
	body := &loops.Node{Pos: "stencil:3", Origin: statement(func(m *machine, i int) {
		a, b := m.slices[s.a], m.slices[s.b]
		b[i] = a[i-1] + a[i] + a[i+1]
		m.total += b[i]
	})}
	for _, d := range []int64{-1, 0, 1} {
		body.Own = append(body.Own, access(s.a, i.Plus(loops.Number(d)), false))
	}
	body.Own = append(body.Own, access(s.b, i, true), access(s.b, i, false),
		loops.Action{Use: &loops.Use{Scalar: s.sum, Fold: "+"}}, loops.Action{Use: &loops.Use{Scalar: s.sum, Write: true, Fold: "+"}})
	exchange := &loops.Node{Pos: "stencil:4"}
	nest := &loops.Node{Loop: outer, Pos: "stencil:1", Children: []*loops.Node{{Loop: inner, Pos: "stencil:2", Children: []*loops.Node{body}}, exchange}}
	s.Function = &loops.Function{
		Name: "stencil", Body: []*loops.Node{nest}, Arrays: []*loops.Array{s.a, s.b}, Callable: true,
		Exchange: &loops.Exchange{Arrays: [2]*loops.Array{s.a, s.b}, Loop: nest, Parity: over("parity", loops.Number(0), loops.Number(2)).Index},
		Unique:   func(name string) string { return name },
	}
	return s
}

// over returns a loop.
func over(name string, lo, hi loops.Poly) *loops.Loop {
	l := &loops.Loop{Lo: []loops.Poly{lo}, Hi: []loops.Poly{hi}, Step: 1}
	l.Index = &loops.Symbol{Name: name, Ident: name, Loop: l}
	return l
}

func access(a *loops.Array, at loops.Poly, write bool) loops.Action {
	return loops.Action{Access: &loops.Access{Array: a, At: &at, Write: write, Text: fmt.Sprintf("%s[%v]", a.Name, at)}}
}

// planned returns the plan of the stencil.
func (s *stencil) planned(t *testing.T) *plan.Plan {
	t.Helper()
	schedule, err := s.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	return plan.Of(s.Function, schedule)
}

// TestAnyFrontEnd: a function whose form no front end for Go has built gets a schedule, footprints,
// a plan and a prediction.
func TestAnyFrontEnd(t *testing.T) {
	s := newStencil()
	p := s.planned(t)
	const want = "stencil:1: loop over t: sequential: it exchanges slices\nstencil:2: loop over i: parallel, in blocks; reduces sum with +"
	if got := strings.Join(p.Describe(), "\n"); got != want {
		t.Errorf("the description is\n%s\nwant\n%s", got, want)
	}
	if got := outline(p.Items); got != "repeat(both(do)) fence" {
		t.Errorf("the plan is %s, want the step for both parities, in a loop", got)
	}
	var got []string
	for _, step := range p.Steps {
		for _, f := range step.Footprints {
			h := step.Shape(f)
			got = append(got, fmt.Sprintf("%s%d[%v+%d%s]", h.Array.Name, h.Use, h.At, h.Factor, h.Run.Index.Name))
		}
	}
	if want := []string{"a0[-1+1i]", "a0[0+1i]", "a0[1+1i]", "b2[0+1i]"}; !slices.Equal(got, want) {
		t.Errorf("footprints %v, want %v", got, want)
	}
	if !p.Choosable() || !p.Output(s.a) || !p.Output(s.b) {
		t.Error("one rank cannot be chosen, or a or b is no output")
	}
	sizes := map[*loops.Symbol]int64{s.n: 1 << 20}
	values := func(of *loops.Symbol) (int64, string) {
		if v, ok := sizes[of]; ok {
			return v, ""
		}
		return 0, of.Name
	}
	if _, err := p.Predict(values, 2, fagus.Microsecond); err == nil || !strings.HasSuffix(err.Error(), "give a value for steps") {
		t.Errorf("a prediction without the number of steps: error %v", err)
	}
	sizes[s.steps] = 100
	text, err := p.Predict(values, 2, fagus.Microsecond)
	if err != nil || !strings.Contains(text, "101 steps") {
		t.Errorf("prediction %q, error %v: want 101 steps, of which one combines the sum", text, err)
	}
}

// outline returns the structure of items.
func outline(items []*plan.Item) string {
	var all []string
	for _, it := range items {
		name := []string{"do", "each", "repeat", "if", "maybe", "both", "fence"}[it.Kind]
		if len(it.Items) > 0 {
			name += "(" + outline(it.Items) + ")"
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

// TestReductions: arrays and the numbers beside them are combined in one call, choices and booleans
// in calls of their own.
func TestReductions(t *testing.T) {
	number := &loops.Type{Class: loops.Float}
	fold := func(name string, of *loops.Type, op string) loops.Fold {
		return loops.Fold{Scalar: &loops.Scalar{Name: name, Type: of}, Operator: op}
	}
	x, k := fold("x", number, ">"), fold("k", number, ">")
	x.Choice = &loops.Choice{By: x.Scalar}
	k.Choice = x.Choice
	sum, all, found := fold("sum", number, "+"), fold("all", &loops.Type{Element: number}, "+"), fold("found", &loops.Type{Class: loops.Boolean}, "||")
	for _, c := range []struct {
		folds []loops.Fold
		want  string
	}{
		{[]loops.Fold{sum, found}, "0 sum, 1 found"},
		{[]loops.Fold{k, sum, x}, "0 sum, 2 x k"},
		{[]loops.Fold{found, sum, all, k, x}, "3 sum all, 1 found, 2 x k"},
	} {
		var got []string
		for _, r := range plan.Reductions(c.folds) {
			text := fmt.Sprint(int(r.Means))
			for _, f := range r.Folds {
				text += " " + f.Scalar.Name
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("reductions %s, want %s", text, c.want)
		}
	}
}

// machine is a second writer: it makes the calls that a plan says, in place of writing them.
type machine struct {
	*stencil
	*plan.Plan
	node    *fagus.Node
	prog    *region.Program
	values  map[*loops.Symbol]int // of parameters, and of the parity
	numbers [2]int                // of the step, by parity
	slices  map[*loops.Array][]int
	total   int
}

func (m *machine) value(p loops.Poly) int {
	return int(p.Value(func(s *loops.Symbol) int64 { return int64(m.values[s]) }))
}

// declare makes the calls that declare items.
func (m *machine) declare(items []*plan.Item) {
	for _, it := range items {
		switch it.Kind {
		case plan.Do:
			m.declareStep(it.Step)
		case plan.Fence:
			m.prog.Fence()
		case plan.Repeat:
			m.prog.Repeat()
			m.declare(it.Items)
			m.prog.End()
		case plan.Both:
			for parity := range 2 {
				m.values[m.Exchange.Parity] = parity
				m.prog.Maybe()
				m.declare(it.Items)
				m.prog.End()
			}
			m.values[m.Exchange.Parity] = 0
		default:
			panic(fmt.Sprintf("kind %d", it.Kind))
		}
	}
}

func (m *machine) declareStep(s *loops.Step) {
	number, parity := m.prog.Step(), m.values[s.Key[0]]
	m.numbers[parity] = number
	l := s.Node.Loop
	_, lo, hi := s.Partition()
	m.prog.Block(number, m.value(l.Lo[0]), m.value(l.Hi[0]), int(l.Step), m.value(lo[0]), m.value(hi[0]))
	for rank := range m.prog.Nodes() {
		part := m.prog.Iterations(number, rank)
		for _, f := range s.Footprints {
			declare := []func(step, rank, array int) region.Region{m.prog.Reads, m.prog.Writes, m.prog.Overwrites}[f.Use]
			first, stride := m.run(s.Shape(f), part)
			declare(number, rank, (m.Number(f.Array)+parity)%2).Strided(first, 1, part.Count(), stride)
		}
	}
}

// run returns the first element of a shape that has one for each of the given iterations, and the
// distance between its elements.
func (m *machine) run(h loops.Shape, part region.Iterations) (first, stride int) {
	if len(h.Frames) > 0 || h.Rows != nil || h.Run == nil {
		panic(fmt.Sprintf("shape %+v", h))
	}
	return m.value(*h.At) + int(h.Factor)*part.First, int(h.Factor) * part.By
}

// execute executes the function.
func (m *machine) execute() error {
	outer := m.Body[0]
	if m.node.Rank() > 0 {
		m.total = 0 // the identity
	}
	for range m.value(outer.Loop.Hi[0]) {
		number := m.numbers[m.values[m.Exchange.Parity]]
		if err := m.prog.Enter(number); err != nil {
			return err
		}
		part := m.prog.Mine(number)
		for i := part.First; i < part.End; i += part.By {
			outer.Children[0].Children[0].Origin.(statement)(m, i)
		}
		if err := m.prog.Leave(number); err != nil {
			return err
		}
		m.slices[m.a], m.slices[m.b] = m.slices[m.b], m.slices[m.a]
		m.values[m.Exchange.Parity] = 1 - m.values[m.Exchange.Parity]
	}
	var err error
	for range plan.Reductions(m.Folds[outer]) {
		m.total, err = fagus.Reduce(m.node, m.total, func(a, b int) int { return a + b })
	}
	return errors.Join(err, m.prog.Finish())
}

// call calls the function on a rank.
func (s *stencil) call(p *plan.Plan, node *fagus.Node, a, b []int, sum, steps int) (int, error) {
	m := &machine{
		stencil: s, Plan: p, node: node, prog: region.NewProgram(node), total: sum,
		values: map[*loops.Symbol]int{s.n: len(a), s.steps: steps}, slices: make(map[*loops.Array][]int),
	}
	region.In(m.prog, "a", &a)
	region.In(m.prog, "b", &b)
	m.slices[s.a], m.slices[s.b] = a, b
	m.prog.Begin("a", "b")
	m.declare(p.Items)
	if err := m.prog.Share("a", "b"); err != nil {
		return 0, err
	}
	err := m.execute()
	return m.total, err
}

// TestAnyWriter executes the plan of the stencil on ranks, and compares the results with the
// sequential loops.
func TestAnyWriter(t *testing.T) {
	const n, steps = 40, 5
	input := func() (a, b []int) {
		for i := range n {
			a, b = append(a, i*i%7), append(b, 1-i%3)
		}
		return a, b
	}
	a, b := input()
	sum := 3
	for cur, next, t := a, b, 0; t < steps; cur, next, t = next, cur, t+1 {
		for i := 1; i < n-1; i++ {
			next[i] = cur[i-1] + cur[i] + cur[i+1]
			sum += next[i]
		}
	}
	for nodes := 1; nodes <= 4; nodes++ {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Placement: fagus.PlacePrivate, Check: fagus.CheckStrict}, func(node *fagus.Node) error {
			s := newStencil() // ranks are goroutines, and Schedule changes the form
			x, y := input()
			got, err := s.call(s.planned(t), node, x, y, 3, steps)
			if err == nil && (got != sum || node.Rank() == 0 && !(slices.Equal(x, a) && slices.Equal(y, b))) {
				err = fmt.Errorf("rank %d has the sum %d, a %v, b %v, want %d, %v, %v", node.Rank(), got, x, y, sum, a, b)
			}
			return err
		})
		if err != nil {
			t.Errorf("%d ranks: %v", nodes, err)
		}
	}
}

// TestExchanges: between two steps every rank gets one element from each neighbour, and no other.
func TestExchanges(t *testing.T) {
	s := newStencil()
	p := s.planned(t)
	m := &machine{stencil: s, Plan: p, values: map[*loops.Symbol]int{s.n: 12}}
	var got []string
	for _, step := range p.Steps {
		blocks := region.NewPlan(3, 12, 12)
		_, lo, hi := step.Partition()
		blocks.Block(blocks.Step(), 1, 11, 1, m.value(lo[0]), m.value(hi[0]))
		elements := func(rank int, use loops.Touch) (all []int) {
			part := blocks.Iterations(0, rank)
			for _, f := range step.Footprints {
				first, stride := m.run(step.Shape(f), part)
				for k := range part.Count() {
					if f.Use == use {
						all = append(all, first+k*stride)
					}
				}
			}
			slices.Sort(all)
			return slices.Compact(all)
		}
		for to := range 3 {
			for from := range 3 {
				for _, e := range elements(to, loops.Reads) { // the step before has written them
					if from != to && slices.Contains(elements(from, loops.Overwrites), e) {
						got = append(got, fmt.Sprintf("%d->%d %d", from, to, e))
					}
				}
			}
		}
	}
	if want := []string{"1->0 5", "0->1 4", "2->1 8", "1->2 7"}; !slices.Equal(got, want) {
		t.Errorf("ranks exchange %v, want %v", got, want)
	}
}
