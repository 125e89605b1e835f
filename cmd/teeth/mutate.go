package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type change struct {
	file     string // relative to the module's root
	line     int
	from, to int // byte offsets
	put      string
	what     string // description of the change
}

func (c *change) apply(source []byte) []byte {
	return []byte(string(source[:c.from]) + c.put + string(source[c.to:]))
}

func swaps() map[token.Token]token.Token {
	return map[token.Token]token.Token{
		token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
		token.EQL: token.NEQ, token.NEQ: token.EQL,
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD,
		token.LAND: token.LOR, token.LOR: token.LAND,
	}
}

func changesOf(root, pkg string) (list []change, err error) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if built, err := build.Default.MatchFile(filepath.Dir(file), filepath.Base(file)); err != nil {
			return nil, err
		} else if !built {
			continue // for another operating system, or another tag
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		m := mutator{set: token.NewFileSet(), source: source}
		tree, err := parser.ParseFile(m.set, file, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if m.file, err = filepath.Rel(root, file); err != nil {
			return nil, err
		}
		ast.Inspect(tree, m.visit)
		list = append(list, m.list...)
	}
	return list, nil
}

// mutator collects the changes of a file.
type mutator struct {
	set    *token.FileSet
	file   string
	source []byte
	failed []*ast.BlockStmt // the bodies of "if err != nil"
	list   []change
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // not constants, types, imports
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "panic" {
			return false // the message of a panic
		}
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Errorf" || sel.Sel.Name == "Sprintf") {
			return false
		}
	case *ast.ReturnStmt:
		if last := len(n.Results) - 1; last > 0 && m.fails(n.Results[last]) {
			return false // results beside an error have no meaning
		}
	case *ast.BinaryExpr:
		if to, ok := swaps()[n.Op]; ok {
			m.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String(), fmt.Sprintf("%s for %s", to, n.Op))
		}
	case *ast.IncDecStmt:
		to := map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok]
		m.add(n.TokPos, n.TokPos+2, to, to+" for "+n.Tok.String())
	case *ast.IfStmt:
		if m.text(n.Cond) == "err != nil" {
			m.failed = append(m.failed, n.Body)
		}
		m.add(n.Cond.Pos(), n.Cond.End(), "!("+m.text(n.Cond)+")", "negated condition: "+m.text(n.Cond))
	case *ast.ExprStmt:
		m.add(n.Pos(), n.End(), "", "without "+m.text(n))
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			m.add(n.Pos(), n.End(), "", "without "+m.text(n))
		}
	case *ast.BasicLit:
		if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			m.add(n.Pos(), n.End(), strconv.Itoa(v+1), fmt.Sprintf("%d for %d", v+1, v))
		}
	}
	return true
}

// fails reports whether a returned value is certainly a non-nil error: one created in the return
// statement, or err inside "if err != nil".
func (m *mutator) fails(last ast.Expr) bool {
	if call, ok := last.(*ast.CallExpr); ok {
		return m.text(call.Fun) == "fmt.Errorf" || m.text(call.Fun) == "errors.New"
	}
	return m.text(last) == "err" && slices.ContainsFunc(m.failed, func(b *ast.BlockStmt) bool {
		return b.Pos() < last.Pos() && last.End() <= b.End()
	})
}

func (m *mutator) text(n ast.Node) string {
	return string(m.source[m.set.Position(n.Pos()).Offset:m.set.Position(n.End()).Offset])
}

func (m *mutator) add(from, to token.Pos, put, what string) {
	what, _, _ = strings.Cut(what, "\n")
	at := m.set.Position(from)
	m.list = append(m.list, change{m.file, at.Line, at.Offset, m.set.Position(to).Offset, put, what})
}
