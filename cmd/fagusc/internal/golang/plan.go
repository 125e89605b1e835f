package golang

import (
	"bytes"
	"fmt"
	"go/ast"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// plan writes the plan, which a call makes unless a call before has made it.
func (e *emitter) plan(nodes []*loops.Node) {
	var fields, maps strings.Builder
	for _, top := range nodes {
		for n := range top.All() {
			step := e.Steps[n]
			if step == nil {
				continue
			}
			for _, name := range append([]string{e.vars[step].step, e.vars[step].add}, e.vars[step].stores...) {
				field := strings.TrimPrefix(name, e.numbers+".")
				switch {
				case name == "":
				case len(step.Key) > 0:
					key := "int"
					if len(step.Key) > 1 {
						key = fmt.Sprintf("[%d]int", len(step.Key))
					}
					fmt.Fprintf(&fields, "%s map[%s]int\n", field, key)
					fmt.Fprintf(&maps, "%s = make(map[%s]int)\n", name, key)
				default:
					fmt.Fprintf(&fields, "%s int\n", field)
				}
			}
		}
	}
	var input []string
	for _, a := range e.arrays {
		if !a.Local {
			input = append(input, fmt.Sprintf("%q", a.Name))
		}
	}
	out := e.out
	e.out = new(bytes.Buffer)
	e.planned(nodes)
	text := e.out.String()
	e.out = out
	e.printf("\n// Declare the elements that every rank reads and writes in every step, unless a former call has.\n")
	e.printf("var %s struct {\n%s}\nif !region.Known(%s, &%s%s) {\n", e.numbers, &fields, e.prog, e.numbers, e.values(text))
	e.printf("%s.Begin(%s)\n", e.prog, strings.Join(input, ", "))
	if e.asserts() {
		e.printf("%s.Compare()\n", e.prog)
	}
	e.printf("%s%s}\n", &maps, text)
}

// asserts reports whether the author asserts that a loop is parallel.
func (e *emitter) asserts() bool {
	for _, s := range e.Steps {
		if s.Kind == loops.Parallel && s.Node.Loop.Independent {
			return true
		}
	}
	return false
}

func (e *emitter) planned(nodes []*loops.Node) {
	for i, n := range nodes {
		if x := e.exchange; x != nil && !e.both && i > 0 && nodes[i-1] == x.node {
			e.plannedBoth(nodes[i:])
			return
		}
		e.plannedNode(n)
		if len(e.Folds[n]) > 0 {
			e.printf("%s.Fence()\n", e.prog)
		}
	}
}

func (e *emitter) plannedNode(n *loops.Node) {
	if step := e.Steps[n]; step != nil && n.Branch {
		e.printf("%s.Maybe()\n", e.prog)
		e.planStep(step)
		e.printf("%s.End()\n", e.prog)
		return
	} else if step != nil {
		e.planStep(step)
		return
	}
	if !e.hasSteps(n) {
		return
	}
	switch {
	case n.Loop != nil && e.Unrolled[n]:
		e.printf("%s {\n", e.unrolled(n.Loop))
		e.plannedInside(n)
		e.printf("}\n")
	case n.Loop != nil:
		e.printf("%s.Repeat()\n", e.prog)
		e.plannedInside(n)
		e.printf("%s.End()\n", e.prog)
	case n.Cond != nil && n.Cond.Always():
		e.planned(n.Children)
	case e.known(n):
		e.printf("if %s {\n", condition(n.Cond))
		e.planned(n.Children)
		e.printf("}\n")
	default:
		e.printf("%s.Maybe()\n", e.prog)
		e.planned(n.Children)
		e.printf("%s.End()\n", e.prog)
	}
}

// plannedInside writes the plan of a loop's body.
func (e *emitter) plannedInside(n *loops.Node) {
	if n.Loop.Exchanges {
		e.plannedBoth(n.Children)
	} else {
		e.planned(n.Children)
	}
}

// known reports whether the condition of a node can be evaluated during planning: it depends only
// on parameters and on indices of unrolled loops.
func (e *emitter) known(n *loops.Node) bool {
	if n.Cond == nil {
		return false
	}
	all := slices.Clone(n.Cond.AtLeast0)
	if n.Cond.Not0 != nil {
		all = append(all, *n.Cond.Not0)
	}
	return e.evaluable(n, all)
}

// evaluable reports whether polynomials can be evaluated before node n, during planning.
func (e *emitter) evaluable(n *loops.Node, all []loops.Poly) bool {
	return !slices.ContainsFunc(all, func(p loops.Poly) bool {
		for s := range e.idents {
			if p.Mentions(s) && !e.unrolledAround(n, s) {
				return true
			}
		}
		return false
	})
}

func (e *emitter) unrolledAround(n *loops.Node, s *loops.Symbol) bool {
	for m, unrolled := range e.Unrolled {
		if unrolled && m.Loop.Index == s && n.Within(m) {
			return true
		}
	}
	return false
}

func (e *emitter) hasSteps(n *loops.Node) bool {
	for m := range n.All() {
		if e.Steps[m] != nil {
			return true
		}
	}
	return false
}

func (e *emitter) unrolled(l *loops.Loop) string {
	i, lo, hi := l.Index.Name, tightest("max", l.Lo), tightest("min", l.Hi)
	if l.Down {
		return fmt.Sprintf("for %s := (%s) - 1; %s >= %s; %s -= %d", i, hi, i, lo, i, l.Step)
	}
	return header(i, lo, hi, fmt.Sprint(l.Step))
}

func header(i, lo, hi, by string) string {
	grow := i + " += " + by
	if by == "1" {
		grow = i + "++"
	}
	return fmt.Sprintf("for %s := %s; %s < %s; %s", i, lo, i, hi, grow)
}

// tightest returns the expression for the tightest of several bounds.
func tightest(of string, bounds []loops.Poly) string {
	if len(bounds) == 1 {
		return bounds[0].String()
	}
	var all []string
	for _, p := range bounds {
		all = append(all, p.String())
	}
	return of + "(" + strings.Join(all, ", ") + ")"
}

func (e *emitter) planStep(s *loops.Step) {
	names := e.vars[s]
	number := names.step
	at := e.file.position(s.Node.Origin.(ast.Node).Pos())
	e.printf("\n// %s:%d\n", filepath.Base(at.Filename), at.Line)
	number += names.key
	e.printf("%s = %s.Step()\n", number, e.prog)
	var body strings.Builder
	switch s.Kind {
	case loops.Parallel:
		e.divided(s, number)
	case loops.Serial:
		owner := "0"
		if s.Owner != nil {
			owner = fmt.Sprintf("%s.Owner(%s, %s)", e.prog, e.numbered(s.Owner.Array), s.Owner.At)
		}
		e.printf("{\n%s := %s\n%s.Alone(%s, %s, 1)\n", e.rank, owner, e.prog, number, e.rank)
	}
	for _, f := range s.Footprints {
		e.footprint(&body, s, number, f)
	}
	e.readElements(&body, s, number)
	if e.Spend > 0 && s.Kind == loops.Parallel {
		e.work(&body, s, number)
	}
	folded := s.FoldedArray()
	if folded.Array != nil {
		e.foldsArray(&body, s, number, folded)
	}
	switch {
	case s.Kind == loops.Serial:
		e.printf("%s}\n", &body)
	case body.Len() > 0:
		e.printf("for %s := range %s.Nodes() {\n", e.rank, e.prog)
		if strings.Contains(body.String(), names.part+".") {
			e.printf("%s := %s.Iterations(%s, %s)\n", names.part, e.prog, number, e.rank)
		}
		e.printf("%s}\n", &body)
	}
	if folded.Array != nil {
		e.planAdd(s, folded.Array)
	}
	e.planStores(s, number)
}

func (e *emitter) divided(s *loops.Step, number string) {
	if s.Dynamic() {
		defer e.printf("%s.Dynamic(%s)\n", e.prog, number)
	}
	l := s.Node.Loop
	lo, hi := tightest("max", l.Lo), tightest("min", l.Hi)
	whole := l.Undivided()
	switch {
	case s.Cyclic && s.Node.Even():
		e.printf("%s.Moving(%s, %s, %s, %d)\n", e.prog, number, lo, hi, l.Step)
	case s.Cyclic:
		e.printf("%s.Cyclic(%s, %s, %s, %d)\n", e.prog, number, lo, hi, l.Step)
	case s.Template != nil:
		e.printf("%s.Block(%s, %s, %s, %d, %s, %s)\n", e.prog, number, lo, hi, l.Step, s.Template.Lo, s.Template.Hi)
	default:
		e.printf("%s.Block(%s, %s, %s, %d, %s, %s)\n", e.prog, number, lo, hi, l.Step, tightest("max", whole.Lo), tightest("min", whole.Hi))
	}
}

func (e *emitter) footprint(b *strings.Builder, s *loops.Step, number string, f loops.Footprint) {
	method := map[loops.Touch]string{loops.Reads: "Reads", loops.Writes: "Writes", loops.Overwrites: "Overwrites"}[f.Use]
	region := fmt.Sprintf("%s.%s(%s, %s, %s)", e.prog, method, number, e.rank, e.numbered(f.Array))
	part := e.vars[s].part
	own := func(l *loops.Loop) bool { return s.Kind == loops.Parallel && l == s.Node.Loop }
	braces := 0
	open := func(format string, args ...any) {
		fmt.Fprintf(b, format+" {\n", args...)
		braces++
	}
	var without *loops.Poly
	if s.Kind == loops.Parallel {
		without = f.Without(s.Node.Loop)
	}
	if without != nil {
		open("for _, %s := range %s.Without(%s)", part, part, without)
	}
	rows := f.Rows()
	if f.Use == loops.Reads && slices.ContainsFunc(f.Frames, func(g loops.Frame) bool { return g.Each }) {
		open("if %s.NeedsReads()", e.prog)
	}
	for _, frame := range f.Frames {
		switch l := frame.Loop; {
		case l == nil:
			open("if %s", condition(frame.Cond))
		case own(l) && frame.Each:
			open("%s", header(l.Index.Name, part+".First", part+".End", part+".By"))
		case own(l):
			open("if %s.Count() > 0", part)
		case frame.Each:
			open("%s", header(l.Index.Name, tightest("max", l.Lo), tightest("min", l.Hi), fmt.Sprint(l.Step)))
		default:
			open("if %s < %s", tightest("max", l.Lo), tightest("min", l.Hi))
		}
	}
	if f.At == nil {
		fmt.Fprintf(b, "%s.Add(0, %s)\n", region, e.array(f.Array).size())
	} else {
		fmt.Fprintf(b, "%s.%s\n", region, e.elements(f, rows, part, own))
	}
	b.WriteString(strings.Repeat("}\n", braces))
}

// elements returns the call that adds the elements of a footprint to a region, for all iterations
// of the loop rows, unless it is nil.
func (e *emitter) elements(f loops.Footprint, rows *loops.Loop, part string, own func(*loops.Loop) bool) string {
	at, run, runs, stride := *f.At, "1", "1", "1"
	first, by, rowCount := "", "", ""
	pitch := loops.Number(0)
	if rows != nil {
		pitch, at, _ = at.Factor(rows.Index)
		first, by, rowCount = tightest("max", rows.Lo), fmt.Sprint(rows.Step), count(rows)
		if own(rows) {
			first, by, rowCount = part+".First", part+".By", part+".Count()"
		}
	}
	lo := at.String()
	switch l := f.Run; {
	case l == nil && rows == nil:
		return fmt.Sprintf("Add(%s, %s)", at, at.Plus(loops.Number(1)))
	case l == nil:
	case own(l):
		c, rest, _ := at.Coefficient(l.Index)
		lo, runs, stride = sum(rest, c, part+".First"), part+".Count()", times(c, part+".By")
	case f.Stride == 1 && len(l.Lo) == 1 && len(l.Hi) == 1:
		_, rest, _ := at.Coefficient(l.Index)
		if rows == nil {
			return fmt.Sprintf("Add(%s, %s)", rest.Plus(l.Lo[0]), rest.Plus(l.Hi[0]))
		}
		lo, run = rest.Plus(l.Lo[0]).String(), l.Hi[0].Minus(l.Lo[0]).String()
	default:
		c, rest, _ := at.Coefficient(l.Index)
		lo, runs, stride = sum(rest, c, "("+tightest("max", l.Lo)+")"), count(l), fmt.Sprint(f.Stride)
	}
	if rows == nil {
		return fmt.Sprintf("Strided(%s, %s, %s, %s)", lo, run, runs, stride)
	}
	return fmt.Sprintf("Grid(%s, %s, %s, %s, %s, %s)", plus(product(pitch, first), lo), run, runs, stride, rowCount, product(pitch, by))
}

// plus returns the expression for a plus b.
func plus(a, b string) string {
	switch {
	case a == "0":
		return b
	case b == "0":
		return a
	case strings.HasPrefix(b, "-"):
		return a + " " + b
	}
	return a + " + " + b
}

// product returns the expression for p times x.
func product(p loops.Poly, x string) string {
	if strings.Contains(x, " ") {
		x = "(" + x + ")"
	}
	switch c, number := p.Constant(); {
	case x == "0":
		return x
	case x == "1":
		return p.String()
	case number:
		return times(c, x)
	}
	if factor := p.String(); !strings.ContainsAny(factor, " +-") {
		return x + "*" + factor
	}
	return fmt.Sprintf("%s*(%s)", x, p)
}

func (e *emitter) work(b *strings.Builder, s *loops.Step, number string) {
	all, _ := s.Work()
	for _, w := range all {
		var loops strings.Builder
		times, ends := nest(&loops, w, s.Node.Loop, e.vars[s].part)
		if times == "" {
			continue
		}
		if ends != "" {
			fmt.Fprintf(b, "if %s.NeedsWork(%s) {\n", e.prog, e.rank)
			ends += "}\n"
		}
		fmt.Fprintf(b, "%s%s.Works(%s, %s, %s)\n%s", &loops, e.prog, number, e.rank, times, ends)
	}
}

// nest writes the begins of those loops of w whose indices the number of iterations of an inner
// loop depends on. It returns the expression for the number of iterations there, empty if w has no
// loop, and what ends the loops. A rank makes the iterations part of the loop divided, if that is
// not nil.
func nest(b io.Writer, w loops.Work, divided *loops.Loop, part string) (times, ends string) {
	var counts []string
	for i, frame := range w.Frames {
		l := frame.Loop
		lo, hi, by, number := tightest("max", l.Lo), tightest("min", l.Hi), fmt.Sprint(l.Step), count(l)
		if l == divided {
			lo, hi, by, number = part+".First", part+".End", part+".By", part+".Count()"
		}
		if frame.Each && i+1 < len(w.Frames) {
			fmt.Fprintf(b, "%s {\n", header(l.Index.Name, lo, hi, by))
			ends += "}\n"
		} else {
			counts = append(counts, number)
		}
	}
	return strings.Join(counts, "*"), ends
}

func count(l *loops.Loop) string {
	if len(l.Lo) == 1 && len(l.Hi) == 1 && l.Step == 1 {
		number := l.Hi[0].Minus(l.Lo[0])
		if c, ok := number.Constant(); ok {
			return fmt.Sprint(max(0, c))
		}
		return fmt.Sprintf("max(0, %s)", number)
	}
	return fmt.Sprintf("region.Iterations{First: %s, End: %s, By: %d}.Count()", tightest("max", l.Lo), tightest("min", l.Hi), l.Step)
}

func sum(rest loops.Poly, c int64, x string) string {
	x = times(c, x)
	if k, number := rest.Constant(); number && k == 0 {
		return x
	}
	return fmt.Sprintf("%s + %s", rest, x)
}

func times(c int64, x string) string {
	if c == 1 {
		return x
	}
	return fmt.Sprintf("%d*%s", c, x)
}

func condition(c *loops.Cond) string {
	all := []string{"true"}
	for _, p := range c.AtLeast0 {
		all = append(all, p.String()+" >= 0")
	}
	if c.Not0 != nil {
		all = append(all, c.Not0.String()+" != 0")
	}
	if len(all) > 1 {
		all = all[1:]
	}
	return strings.Join(all, " && ")
}

func idempotent(op string) bool {
	return strings.Contains(op, ".") || slices.Contains([]string{"max", "min", "<", ">", "&", "|", "&&", "||"}, op)
}

// foldsArray writes the declaration that every rank overwrites its part of a reduced array, and
// that rank 0 starts from the previous contents.
func (e *emitter) foldsArray(b *strings.Builder, s *loops.Step, number string, f loops.Fold) {
	name, parts, array := f.Array.Name, e.numberOfParts(f.Array), e.numbered(f.Array)
	read := fmt.Sprintf("%s.Reads(%s, %s, %s).Add(0, len(%s))\n", e.prog, number, e.rank, array, name)
	if !idempotent(f.Operator) {
		read = fmt.Sprintf("if %s == 0 {\n%s}\n", e.rank, read)
	}
	fmt.Fprintf(b, "%s%s.Overwrites(%s, %s, %d).Add(%s*len(%s), (%s+1)*len(%s))\n", read, e.prog, number, e.rank, parts, e.rank, name, e.rank, name)
}

// planAdd writes the step in which every rank combines one block of the ranks' parts.
func (e *emitter) planAdd(s *loops.Step, a *loops.Array) {
	names := e.vars[s]
	number := names.add
	number += names.key
	e.printf("%s = %s.Step()\n", number, e.prog)
	if e.elsewhere(s, a) {
		e.printf("%s.Block(%s, 0, len(%s), 1, 0, len(%s))\n", e.prog, number, a.Name, a.Name)
	} else {
		e.printf("%s.Alone(%s, 0, len(%s))\n", e.prog, number, a.Name)
	}
	e.printf("for %s := range %s.Nodes() {\n%s := %s.Iterations(%s, %s)\n", e.rank, e.prog, names.part, e.prog, number, e.rank)
	e.printf("%s.Overwrites(%s, %s, %s).Add(%s.First, %s.End)\n", e.prog, number, e.rank, e.numbered(a), names.part, names.part)
	e.printf("%s.Reads(%s, %s, %d).Strided(%s.First, %s.Count(), %s.Nodes(), len(%s))\n}\n", e.prog, number, e.rank, e.numberOfParts(a), names.part, names.part, e.prog, a.Name)
}

// elsewhere reports whether other steps use an array. If not, it is best kept at rank 0.
func (e *emitter) elsewhere(s *loops.Step, a *loops.Array) bool {
	for n, other := range e.Steps {
		if other == s {
			continue
		}
		for m := range n.All() {
			if slices.ContainsFunc(m.Own, func(x loops.Action) bool { return x.Access != nil && x.Access.Array == a }) {
				return true
			}
		}
	}
	return false
}
