package golang

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
)

// A reduction of an element, such as x[i] += e in a loop over j, becomes the reduction of a
// variable: its owner starts from the element, the other ranks from -0, 0 or 1, and the owner
// stores the result. With operators such as max every rank starts from the element.

// replacement is a name that stands in the output for an expression of the source.
type replacement struct {
	from, to token.Pos
	name     string
}

// replaced returns source text with replacements.
func (e *emitter) replaced(from, to token.Pos) string {
	var b strings.Builder
	for _, r := range e.instead {
		if from <= r.from && r.to <= to {
			b.WriteString(e.file.between(from, r.from) + r.name)
			from = r.to
		}
	}
	return b.String() + e.file.between(from, to)
}

// readElements writes the declaration that ranks read the elements from which they start.
func (e *emitter) readElements(b *strings.Builder, s *loops.Step, number string) {
	for _, f := range s.Elements() {
		at, array := f.Element.At, e.numbered(f.Element.Array)
		read := fmt.Sprintf("%s.Reads(%s, %s, %s).Add(%s, %s)", e.prog, number, e.rank, array, at, at.Plus(loops.Number(1)))
		if !loops.Idempotent(f.Operator) {
			read = fmt.Sprintf("if %s == %s.Owner(%s, %s) {\n%s\n}", e.rank, e.prog, array, at, read)
		}
		fmt.Fprintf(b, "if %s < %s {\n%s\n}\n", tightest("max", s.Node.Loop.Lo), tightest("min", s.Node.Loop.Hi), read)
	}
}

// planStores writes the steps in which the owners of elements store the results. A loop without
// iterations does not access the elements, which may not exist.
func (e *emitter) planStores(s *loops.Step, number string) {
	for i, f := range s.Elements() {
		if i == 0 {
			e.printf("%s.Fence()\n", e.prog)
		}
		at, array := f.Element.At, e.numbered(f.Element.Array)
		store := e.vars[s].stores[i] + e.vars[s].key
		times := fmt.Sprintf("min(1, %s)", count(s.Node.Loop))
		e.printf("%s = %s.Step()\n{\n%s := %s.Owner(%s, %s)\n", store, e.prog, e.rank, e.prog, array, at)
		e.printf("%s.Alone(%s, %s, %s)\n%s.Overwrites(%s, %s, %s).Strided(%s, 1, %s, 1)\n}\n", e.prog, store, e.rank, times, e.prog, store, e.rank, array, at, times)
	}
}

// load writes the initial values of the ranks' parts of elements, and replaces the elements by the
// parts in the loop that follows.
func (e *emitter) load(s *loops.Step) {
	for i, f := range s.Elements() {
		own, store := e.vars[s].own[i], e.vars[s].stores[i]+e.vars[s].here
		e.printf("var %s %s\n", own, e.typed(f.Element.Array.Element))
		loaded := e.assignment(s, own, f.Element.Text)
		if loops.Idempotent(f.Operator) {
			e.printf("for %[1]s := range %[2]s.Nodes() {\nif %[2]s.Iterations(%[3]s, %[1]s).Count() > 0 {\n%[4]s}\n}\n", e.rank, e.prog, store, loaded)
		} else {
			other := ""
			if start := e.identity(f.Operator, f.Element.Array.Element); start != "0" {
				other = fmt.Sprintf(" else {\n%s = %s\n}", own, start)
			}
			e.printf("if %s.Owns(%s) {\n%s}%s\n", e.prog, store, loaded, other)
		}
		for n := range s.Node.All() {
			if slices.ContainsFunc(n.Own, func(a loops.Action) bool { return a.Access != nil && f.Reduces(a.Access) }) {
				e.replace(n.Origin.(ast.Node), f.Element.Text, own)
			}
		}
	}
	slices.SortFunc(e.instead, func(a, b replacement) int { return cmp.Compare(a.from, b.from) })
}

// replace replaces an expression in a statement by a name.
func (e *emitter) replace(s ast.Node, text, name string) {
	ast.Inspect(s, func(n ast.Node) bool {
		x, ok := n.(*ast.IndexExpr)
		if !ok || e.file.source(x) != text {
			return true
		}
		e.instead = append(e.instead, replacement{x.Pos(), x.End(), name})
		return false
	})
}

// assignment returns an assignment that the output places at the loop of a step.
func (e *emitter) assignment(s *loops.Step, to, value string) string {
	at := e.file.position(s.Node.Origin.(ast.Node).Pos())
	return fmt.Sprintf("//line %s:%d\n%s = %s\n%s\n", filepath.Base(at.Filename), at.Line, to, value, self)
}

// store writes the combination of the parts of elements, and the steps that store the results.
func (e *emitter) store(s *loops.Step) {
	for i, f := range s.Elements() {
		own := e.vars[s].own[i]
		e.printf("if %[1]s, %[2]s = fagus.Reduce(%[3]s, %[1]s, %[4]s); %[2]s != nil {\nreturn\n}\n", own, e.err, e.node, combined(f.Operator, e.typed(f.Element.Array.Element)))
	}
	for i, f := range s.Elements() { // all in one phase
		own, store := e.vars[s].own[i], e.vars[s].stores[i]+e.vars[s].here
		e.printf("if %[1]s = %[2]s.Enter(%[3]s); %[1]s != nil {\nreturn\n}\n", e.err, e.prog, store)
		e.printf("if %s.Owns(%s) {\n%s}\n", e.prog, store, e.assignment(s, f.Element.Text, own))
		e.printf("if %[1]s = %[2]s.Leave(%[3]s); %[1]s != nil {\nreturn\n}\n", e.err, e.prog, store)
	}
}
