package golang

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"
	"github.com/fagus-dsm/fagus/cmd/fagusc/internal/plan"
)

func (e *emitter) statements(list []ast.Stmt) error {
	for len(list) > 0 {
		same := 0 // number of unchanged statements from here on
		for same < len(list) && !e.inside(list[same]) {
			if _, ok := list[same].(*ast.ReturnStmt); ok {
				break
			}
			same++
		}
		if same > 0 {
			e.verbatim(list[0].Pos(), list[same-1].End())
			list = list[same:]
			continue
		}
		if err := e.statement(list[0]); err != nil {
			return err
		}
		list = list[1:]
	}
	return nil
}

func (e *emitter) inside(s ast.Node) (found bool) {
	for n := range e.steps {
		found = found || s.Pos() <= n.Pos() && n.End() <= s.End()
	}
	if x := e.Exchange; x != nil { // which changes the parity
		loop := x.Loop.Origin.(ast.Node)
		found = found || s.Pos() <= loop.Pos() && loop.End() <= s.End()
	}
	return found
}

func (e *emitter) statement(s ast.Stmt) error {
	if folds := e.folds[s]; len(folds) > 0 {
		e.resets(folds)
		defer e.reduces(folds)
	}
	if steps := e.steps[s]; steps != nil {
		return e.allSteps(steps)
	}
	if w := e.waves[s]; w != nil {
		return e.wave(w)
	}
	switch s := s.(type) {
	case *ast.ReturnStmt:
		e.returned(s)
		return nil
	case *ast.BlockStmt:
		e.printf("{\n")
		err := e.statements(s.List)
		e.printf("}\n")
		return err
	case *ast.ForStmt:
		return e.around(s, s.Body)
	case *ast.RangeStmt:
		return e.around(s, s.Body)
	case *ast.IfStmt:
		if err := e.around(s, s.Body); err != nil || s.Else == nil {
			return err
		}
		e.out.Truncate(e.out.Len() - 1)
		e.printf(" else {\n")
		err := e.statements([]ast.Stmt{s.Else})
		e.printf("}\n")
		return err
	}
	return &loops.Refusal{Pos: e.file.pos(s.Pos()), Message: "this statement around parallel loops is not supported"}
}

func (e *emitter) around(s ast.Stmt, body *ast.BlockStmt) error {
	e.verbatim(s.Pos(), body.Lbrace+1)
	err := e.block(body)
	if x := e.Exchange; x != nil && x.Loop.Origin == s {
		e.printf("%[1]s = 1 - %[1]s\n", x.Parity.Name)
	}
	e.printf("}\n")
	return err
}

func (e *emitter) block(b *ast.BlockStmt) error {
	if steps := e.steps[b]; steps != nil {
		return e.allSteps(steps)
	}
	return e.statements(b.List)
}

func (e *emitter) allSteps(all []*loops.Step) error {
	for _, s := range all {
		if err := e.step(s); err != nil {
			return err
		}
	}
	return nil
}

func (e *emitter) returned(s *ast.ReturnStmt) {
	var names, values []string
	for i, r := range s.Results {
		if value := e.file.source(r); len(s.Results) != len(e.results) || value != e.results[i] {
			names, values = append(names, e.results[i]), append(values, value)
		}
	}
	if len(values) == 1 && len(s.Results) < len(e.results) { // a call that returns all results
		names = e.results
	}
	if len(values) > 0 {
		e.printf("%s = %s\n", strings.Join(names, ", "), strings.Join(values, ", "))
	}
}

func (e *emitter) step(s *loops.Step) error {
	e.written[s.Node] = true
	names := e.vars[s]
	number := names.step + names.here
	origin := s.Node.Origin.(ast.Node)
	e.printf("if %s = %s.Enter(%s); %s != nil {\nreturn\n}\n", e.err, e.prog, number, e.err)
	switch s.Kind {
	case loops.Replicated:
		if skip, ok := origin.(*ast.IfStmt); ok && continues(skip) {
			return e.skip(skip, number)
		}
		_, block := origin.(*ast.BlockStmt)
		if block { // keep the block's declarations inside
			e.printf("{\n")
		}
		e.contents(origin)
		if block {
			e.printf("}\n")
		}
	case loops.Serial:
		e.printf("if %s.Owns(%s) {\n", e.prog, number)
		e.contents(origin)
		e.printf("}\n")
	case loops.Parallel:
		e.fold(s, number)
		e.load(s)
		if err := e.loop(s, number); err != nil {
			return err
		}
		e.instead = nil
	}
	e.printf("if %s = %s.Leave(%s); %s != nil {\nreturn\n}\n", e.err, e.prog, number, e.err)
	e.folded(s)
	e.store(s)
	return nil
}

// skip writes "if c { continue }" so that the rank holds no arrays when it continues.
func (e *emitter) skip(s *ast.IfStmt, number string) error {
	skips := e.unique("skips")
	at := e.file.position(s.Cond.Pos())
	e.printf("//line %s:%d\n%s := %s\n%s\n", filepath.Base(at.Filename), at.Line, skips, e.file.source(s.Cond), self)
	e.printf("if %s = %s.Leave(%s); %s != nil {\nreturn\n}\nif %s {\ncontinue\n}\n", e.err, e.prog, number, e.err, skips)
	return nil
}

func (e *emitter) contents(n ast.Node) {
	if b, ok := n.(*ast.BlockStmt); ok {
		if len(b.List) > 0 {
			e.verbatim(b.List[0].Pos(), b.List[len(b.List)-1].End())
		}
		return
	}
	e.verbatim(n.Pos(), n.End())
}

func (e *emitter) loop(s *loops.Step, number string) error {
	part := e.vars[s].part
	if s.Dynamic() {
		defer e.printf("}\n")
	} else {
		e.printf("%s := %s.Mine(%s)\n", part, e.prog, number)
	}
	var body *ast.BlockStmt
	var key, value, over ast.Expr
	switch n := s.Node.Origin.(type) {
	case *ast.ForStmt:
		body, key = n.Body, n.Init.(*ast.AssignStmt).Lhs[0]
		if e.file.pkg.TypesInfo.Uses[key.(*ast.Ident)] != nil { // the loop hides the variable
			e.printf("_ = %s\n", key.(*ast.Ident).Name)
		}
	case *ast.RangeStmt:
		body, key, value, over = n.Body, n.Key, n.Value, n.X
	}
	if len(s.Private) > 0 {
		e.printf("{\n")
		defer e.printf("}\n")
	}
	for _, a := range s.Private {
		e.printf("%s := make([]%s, len(%s))\n", a.Name, e.typed(a.Element), a.Name)
	}
	if n, ok := s.Node.Origin.(*ast.ExprStmt); ok {
		args, i := n.X.(*ast.CallExpr).Args, e.unique("i")
		e.checked(args[0])
		e.checked(args[1])
		e.printf("%s {\n%s[%s] = %s[%s]\n}\n", header(i, part+".First", part+".End", part+".By"), e.file.source(args[0]), i, e.file.source(args[1]), i)
		return nil
	}
	w, unused := e.waveOf(s), span(s.Node.Origin.(ast.Stmt))
	if w != nil { // the index of the loop around is not declared yet
		unused[0] = w.Nest.Origin.(ast.Node).Pos()
	}
	e.uses(unused)
	if over != nil && pointer(e.file.pkg.TypesInfo.TypeOf(over)) {
		e.checked(over)
	}
	if s.Dynamic() {
		e.printf("for %[1]s := %[2]s.First(%[3]s); %[1]s.Count() > 0; %[1]s = %[2]s.Next(%[3]s) {\n", part, e.prog, number)
	}
	if w != nil {
		key, value = nil, nil
		e.printf("%s {\n", header(w.Outer.Ident, part+".First", part+".End", part+".By"))
		e.printf("%[1]s := %[2]s\n_ = %[1]s\n", w.Inner.Ident, e.here(w.J))
		e.verbatim(body.List[0].Pos(), body.List[len(body.List)-1].End())
		e.printf("}\n")
		return nil
	}
	id, _ := key.(*ast.Ident)
	index, typed := "", ""
	if id != nil && id.Name != "_" {
		index, typed = id.Name, e.typed(typeOf(e.file.pkg.TypesInfo.ObjectOf(id).Type()))
	}
	count := index // of type int
	if typed != "int" {
		count = e.unique("i")
	}
	e.printf("%s {\n", header(count, part+".First", part+".End", part+".By"))
	if index != count && index != "" {
		e.printf("%s := %s(%s)\n_ = %s\n", index, typed, count, index)
	}
	if v, isID := value.(*ast.Ident); isID && v.Name != "_" {
		e.printf("%s := %s[%s]\n", v.Name, e.file.source(over), count)
	}
	if n := len(body.List); n > 0 {
		e.verbatim(body.List[0].Pos(), body.List[n-1].End())
	}
	e.printf("}\n")
	return nil
}

// checked writes the evaluation of a slice, which panics if its bounds are wrong: on ranks without
// iterations, too.
func (e *emitter) checked(x ast.Expr) {
	switch ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return
	}
	at := e.file.position(x.Pos())
	e.printf("//line %s:%d\n_ = %s\n%s\n", filepath.Base(at.Filename), at.Line, e.file.source(x), self)
}

// uses writes uses of the variables that would be unused without a header.
func (e *emitter) uses(header [2]token.Pos) {
	for _, name := range e.unused(header) {
		e.printf("_ = %s\n", name)
	}
}

// identity returns the value from which ranks other than 0 start.
func (e *emitter) identity(op string, t *loops.Type) string {
	switch t.Identity(op) {
	case loops.One:
		return "1"
	case loops.NegativeZero:
		return fmt.Sprintf("region.NegativeZero[%s]()", e.typed(t))
	}
	return "0"
}

func combined(op, of string) string {
	body := fmt.Sprintf("return a %s b", op)
	switch op {
	case "max", "min":
		body = fmt.Sprintf("return %s(a, b)", op)
	case "<", ">":
		body = fmt.Sprintf("if b %s a {\nreturn b\n}\nreturn a", op)
	default:
		if strings.Contains(op, ".") { // math.Max, whatever the name of the import
			return op
		}
	}
	return fmt.Sprintf("func(a, b %s) %s {\n%s\n}", of, of, body)
}

// resets writes the initial values of the ranks' parts of scalars; rank 0 keeps the previous value.
func (e *emitter) resets(folds []loops.Fold) {
	var reset []string
	for _, f := range folds {
		if loops.Idempotent(f.Operator) {
			continue
		}
		t := f.Scalar.Type
		zero := e.identity(f.Operator, cmp.Or(t.Element, t))
		if t.Element != nil {
			zero = fmt.Sprintf("region.All[%s, %s](%s)", e.typed(t), e.typed(t.Element), zero)
		}
		reset = append(reset, fmt.Sprintf("%s = %s\n", f.Scalar.Name, zero))
	}
	if len(reset) > 0 {
		e.printf("if %s.Rank() > 0 {\n%s}\n", e.node, strings.Join(reset, ""))
	}
}

func (e *emitter) reduces(folds []loops.Fold) {
	for _, r := range plan.Reductions(folds) {
		f := r.Folds[0]
		switch r.Means {
		case plan.Joined:
			e.joined(r.Folds)
		case plan.Choice:
			e.chosen(r.Folds)
		case plan.Flag:
			flag := e.unique("flag")
			e.printf("{\n%[1]s := 0\nif %[2]s {\n%[1]s = 1\n}\n", flag, f.Scalar.Name)
			e.printf("if %[1]s, %[2]s = fagus.Reduce(%[3]s, %[1]s, %[4]s); %[2]s != nil {\nreturn\n}\n", flag, e.err, e.node, combined(f.Operator[:1], "int"))
			e.printf("%s = %s != 0\n}\n", f.Scalar.Name, flag)
		case plan.Number:
			e.printf("if %[1]s, %[2]s = fagus.Reduce(%[3]s, %[1]s, %[4]s); %[2]s != nil {\nreturn\n}\n", f.Scalar.Name, e.err, e.node, combined(f.Operator, e.typed(f.Scalar.Type)))
		}
	}
}

// joined writes the reductions of arrays, and of numbers together with them.
func (e *emitter) joined(folds []loops.Fold) {
	all := e.unique("all")
	var after strings.Builder
	e.printf("{\n%s := region.NewReduction(%s)\n", all, e.node)
	for _, f := range folds {
		part := e.unique("part") // the loops use f.Scalar, which must not have an address
		of := e.typed(cmp.Or(f.Scalar.Type.Element, f.Scalar.Type))
		e.printf("%s := %s\nregion.Join(%s, &%[1]s, %[4]s)\n", part, f.Scalar.Name, all, combined(f.Operator, of))
		fmt.Fprintf(&after, "%s = %s\n", f.Scalar.Name, part)
	}
	e.printf("if %[1]s = %[2]s.Do(); %[1]s != nil {\nreturn\n}\n%[3]s}\n", e.err, all, &after)
}

// chosen writes the statements by which ranks take over the values of the rank with the best value
// of the first scalar.
func (e *emitter) chosen(folds []loops.Fold) {
	best := folds[0]
	parts, from, rank, part := e.unique("parts"), e.unique("from"), e.unique("rank"), e.unique("part")
	gather := func(s *loops.Scalar) {
		e.printf("var %s []%s\nif %[1]s, %[3]s = fagus.Gather(%[4]s, %[5]s); %[3]s != nil {\nreturn\n}\n", parts, e.typed(s.Type), e.err, e.node, s.Name)
	}
	e.printf("{\n")
	gather(best.Scalar)
	e.printf("%s := 0\nfor %s, %s := range %s {\nif %s %s %s[%s] {\n%s = %s\n}\n}\n", from, rank, part, parts, part, best.Operator, parts, from, from, rank)
	e.printf("%s = %s[%s]\n", best.Scalar.Name, parts, from)
	for _, f := range folds[1:] {
		e.printf("{\n")
		gather(f.Scalar)
		e.printf("%s = %s[%s]\n}\n", f.Scalar.Name, parts, from)
	}
	e.printf("}\n")
}

// fold writes the combination of the parts of an array.
func (e *emitter) fold(s *loops.Step, number string) {
	f := s.FoldedArray()
	if f.Array == nil {
		return
	}
	name, parts, all := f.Array.Name, e.parts[f.Array], e.vars[s].all
	e.printf("%s := %s\n%s = %s[%s.Rank()*len(%s):(%s.Rank()+1)*len(%s)]\n", all, name, name, parts, e.node, name, e.node, name)
	if loops.Idempotent(f.Operator) {
		e.printf("copy(%s, %s)\n", name, all)
		return
	}
	i := e.unique("i")
	e.printf("if %s.Rank() == 0 {\ncopy(%s, %s)\n} else {\nfor %s := range %s {\n%s[%s] = %s\n}\n}\n", e.node, name, all, i, name, name, i, e.identity(f.Operator, f.Array.Element))
}

func (e *emitter) folded(s *loops.Step) {
	f := s.FoldedArray()
	if f.Array == nil {
		return
	}
	names := e.vars[s]
	number := names.add + names.here
	e.printf("%s = %s\n", f.Array.Name, names.all)
	e.printf("if %s = %s.Enter(%s); %s != nil {\nreturn\n}\n", e.err, e.prog, number, e.err)
	e.printf("region.Combine(%s, %s, %s.Mine(%s), %s)\n", f.Array.Name, e.parts[f.Array], e.prog, number, combined(f.Operator, e.typed(f.Array.Element)))
	e.printf("if %s = %s.Leave(%s); %s != nil {\nreturn\n}\n", e.err, e.prog, number, e.err)
}
