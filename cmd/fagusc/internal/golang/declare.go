package golang

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/plan"
)

// declare writes the plan, which a call makes unless a call before has made it.
func (e *emitter) declare() {
	var fields, maps strings.Builder
	for n := range e.All() {
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
	var input []string
	for _, a := range e.arrays {
		if !a.Local {
			input = append(input, fmt.Sprintf("%q", a.Name))
		}
	}
	out := e.out
	e.out = new(bytes.Buffer)
	e.items(e.Items)
	text := e.out.String()
	e.out = out
	e.printf("\n// Declare the elements that every rank reads and writes in every step, unless a former call has.\n")
	e.printf("var %s struct {\n%s}\nif !region.Known(%s, &%s%s) {\n", e.numbers, &fields, e.prog, e.numbers, e.values(text))
	e.printf("%s.Begin(%s)\n", e.prog, strings.Join(input, ", "))
	if e.Asserts() {
		e.printf("%s.Compare()\n", e.prog)
	}
	e.printf("%s%s}\n", &maps, text)
}

func (e *emitter) items(list []*plan.Item) {
	for _, it := range list {
		switch it.Kind {
		case plan.Do:
			e.planStep(it.Step)
		case plan.Fence:
			e.printf("%s.Fence()\n", e.prog)
		case plan.Repeat:
			e.bracket("Repeat", it)
		case plan.Maybe:
			e.bracket("Maybe", it)
		case plan.Each:
			e.printf("%s {\n", e.unrolled(it.Loop))
			e.items(it.Items)
			e.printf("}\n")
		case plan.If:
			e.printf("if %s {\n", condition(it.Cond))
			e.items(it.Items)
			e.printf("}\n")
		case plan.Both:
			e.both = true
			e.printf("for %s := range 2 {\n", e.Exchange.Parity.Name)
			e.bracket("Maybe", it)
			e.printf("}\n")
			e.both = false
		}
	}
}

func (e *emitter) bracket(begin string, it *plan.Item) {
	e.printf("%s.%s()\n", e.prog, begin)
	e.items(it.Items)
	e.printf("%s.End()\n", e.prog)
}

// numbered returns the number of an array as an expression for the plan.
func (e *emitter) numbered(a *loops.Array) string {
	if x := e.Exchange; x != nil && e.both {
		if i := slices.Index(x.Arrays[:], a); i >= 0 {
			return fmt.Sprintf("[2]int{%d, %d}[%s]", e.Number(a), e.Number(x.Arrays[1-i]), x.Parity.Name)
		}
	}
	return fmt.Sprint(e.Number(a))
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
	number := names.step + names.key
	at := e.file.position(s.Node.Origin.(ast.Node).Pos())
	e.printf("\n// %s:%d\n", filepath.Base(at.Filename), at.Line)
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
		e.footprint(&body, s, number, s.Shape(f))
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
	over := fmt.Sprintf("%s, %s, %s, %d", number, tightest("max", l.Lo), tightest("min", l.Hi), l.Step)
	switch how, lo, hi := s.Partition(); how {
	case loops.Moving:
		e.printf("%s.Moving(%s)\n", e.prog, over)
	case loops.Turns:
		e.printf("%s.Cyclic(%s)\n", e.prog, over)
	case loops.Blocks:
		e.printf("%s.Block(%s, %s, %s)\n", e.prog, over, tightest("max", lo), tightest("min", hi))
	}
}

func (e *emitter) footprint(b *strings.Builder, s *loops.Step, number string, f loops.Shape) {
	method := map[loops.Touch]string{loops.Reads: "Reads", loops.Writes: "Writes", loops.Overwrites: "Overwrites"}[f.Use]
	region := fmt.Sprintf("%s.%s(%s, %s, %s)", e.prog, method, number, e.rank, e.numbered(f.Array))
	part := e.vars[s].part
	braces := 0
	open := func(format string, args ...any) {
		fmt.Fprintf(b, format+" {\n", args...)
		braces++
	}
	if f.Without != nil {
		open("for _, %s := range %s.Without(%s)", part, part, f.Without)
	}
	if f.Use == loops.Reads && f.Long {
		open("if %s.NeedsReads()", e.prog)
	}
	for _, frame := range f.Frames {
		switch l := frame.Loop; {
		case l == nil:
			open("if %s", condition(frame.Cond))
		case s.Divides(l) && frame.Each:
			open("%s", header(l.Index.Name, part+".First", part+".End", part+".By"))
		case s.Divides(l):
			open("if %s.Count() > 0", part)
		case frame.Each:
			open("%s", header(l.Index.Name, tightest("max", l.Lo), tightest("min", l.Hi), fmt.Sprint(l.Step)))
		default:
			open("if %s < %s", tightest("max", l.Lo), tightest("min", l.Hi))
		}
	}
	fmt.Fprintf(b, "%s.%s\n", region, e.elements(s, f))
	b.WriteString(strings.Repeat("}\n", braces))
}

// elements returns the call that adds the elements of a shape to a region.
func (e *emitter) elements(s *loops.Step, f loops.Shape) string {
	if f.At == nil {
		return fmt.Sprintf("Add(0, %s)", f.Array.Size)
	}
	part, at := e.vars[s].part, *f.At
	lo, run, runs, stride := at.String(), "1", "1", "1"
	switch l := f.Run; {
	case l == nil && f.Rows == nil:
		return fmt.Sprintf("Add(%s, %s)", at, at.Plus(loops.Number(1)))
	case l == nil:
	case s.Divides(l):
		lo, runs, stride = sum(at, f.Factor, part+".First"), part+".Count()", times(f.Factor, part+".By")
	case f.Stride == 1 && len(l.Lo) == 1 && len(l.Hi) == 1 && f.Rows == nil:
		return fmt.Sprintf("Add(%s, %s)", at.Plus(l.Lo[0]), at.Plus(l.Hi[0]))
	case f.Stride == 1 && len(l.Lo) == 1 && len(l.Hi) == 1:
		lo, run = at.Plus(l.Lo[0]).String(), l.Hi[0].Minus(l.Lo[0]).String()
	default:
		lo, runs, stride = sum(at, f.Factor, "("+tightest("max", l.Lo)+")"), count(l), fmt.Sprint(f.Stride)
	}
	if f.Rows == nil {
		return fmt.Sprintf("Strided(%s, %s, %s, %s)", lo, run, runs, stride)
	}
	first, by, rows := tightest("max", f.Rows.Lo), fmt.Sprint(f.Rows.Step), count(f.Rows)
	if s.Divides(f.Rows) {
		first, by, rows = part+".First", part+".By", part+".Count()"
	}
	return fmt.Sprintf("Grid(%s, %s, %s, %s, %s, %s)", plus(product(f.Pitch, first), lo), run, runs, stride, rows, product(f.Pitch, by))
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

// nest writes the headers of the loops of w on whose indices the number of iterations of an inner
// loop depends. It returns the expression for the number of iterations there, empty if w has no
// loop, and what ends the loops. If divided is not nil, a rank executes the iterations part of it.
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
	var all []string
	for _, p := range c.AtLeast0 {
		all = append(all, p.String()+" >= 0")
	}
	if c.Not0 != nil {
		all = append(all, c.Not0.String()+" != 0")
	}
	return cmp.Or(strings.Join(all, " && "), "true")
}

// foldsArray writes the declaration that every rank overwrites its part of a reduced array, and
// that rank 0 starts from the previous contents.
func (e *emitter) foldsArray(b *strings.Builder, s *loops.Step, number string, f loops.Fold) {
	name, parts, array := f.Array.Name, e.NumberOfParts(f.Array), e.numbered(f.Array)
	read := fmt.Sprintf("%s.Reads(%s, %s, %s).Add(0, len(%s))\n", e.prog, number, e.rank, array, name)
	if !loops.Idempotent(f.Operator) {
		read = fmt.Sprintf("if %s == 0 {\n%s}\n", e.rank, read)
	}
	fmt.Fprintf(b, "%s%s.Overwrites(%s, %s, %d).Add(%s*len(%s), (%s+1)*len(%s))\n", read, e.prog, number, e.rank, parts, e.rank, name, e.rank, name)
}

// planAdd writes the step in which every rank combines one block of the ranks' parts.
func (e *emitter) planAdd(s *loops.Step, a *loops.Array) {
	names := e.vars[s]
	number := names.add + names.key
	e.printf("%s = %s.Step()\n", number, e.prog)
	if e.Elsewhere(s, a) {
		e.printf("%s.Block(%s, 0, len(%s), 1, 0, len(%s))\n", e.prog, number, a.Name, a.Name)
	} else {
		e.printf("%s.Alone(%s, 0, len(%s))\n", e.prog, number, a.Name)
	}
	e.printf("for %s := range %s.Nodes() {\n%s := %s.Iterations(%s, %s)\n", e.rank, e.prog, names.part, e.prog, number, e.rank)
	e.printf("%s.Overwrites(%s, %s, %s).Add(%s.First, %s.End)\n", e.prog, number, e.rank, e.numbered(a), names.part, names.part)
	e.printf("%s.Reads(%s, %s, %d).Strided(%s.First, %s.Count(), %s.Nodes(), len(%s))\n}\n", e.prog, number, e.rank, e.NumberOfParts(a), names.part, names.part, e.prog, a.Name)
}
