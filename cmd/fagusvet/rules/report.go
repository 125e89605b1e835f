package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// newRule returns the analyzer of a rule that checks every function of a package. knowledge is the
// analyzer that builds the model.
func newRule(name, doc string, knowledge *analysis.Analyzer, check func(*reporter, *model, *ssa.Function)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      doc,
		Requires: []*analysis.Analyzer{knowledge},
		Run: func(pass *analysis.Pass) (any, error) {
			m, r := pass.ResultOf[knowledge].(*model), newReporter(pass)
			for _, fn := range m.funcs {
				check(r, m, fn)
			}
			return nil, nil
		},
	}
}

type reporter struct {
	pass    *analysis.Pass
	ignored map[place]bool
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// ignoreComment suppresses a rule: the name of the rule and a reason must follow.
const ignoreComment = "//fagusvet:ignore "

func newReporter(pass *analysis.Pass) *reporter {
	r := &reporter{pass: pass, ignored: make(map[place]bool)}
	for _, file := range pass.Files {
		code := codeLines(pass.Fset, file)
		for _, group := range file.Comments {
			for _, c := range group.List {
				text, ok := strings.CutPrefix(c.Text, ignoreComment)
				if !ok {
					continue
				}
				if words := strings.Fields(text); len(words) > 1 && words[0] == pass.Analyzer.Name {
					at := r.place(c.Pos())
					if !code[at.line] {
						at.line++
					}
					r.ignored[at] = true
				}
			}
		}
	}
	return r
}

// codeLines returns the lines of a file where code, not a comment, begins or ends.
func codeLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := make(map[int]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return true
		case *ast.CommentGroup:
			return false
		case *ast.File:
			return true // a file has no line of its own: it may end with a comment
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()-1).Line] = true
		return true
	})
	return lines
}

func (r *reporter) place(pos token.Pos) place {
	p := r.pass.Fset.Position(pos)
	return place{p.Filename, p.Line}
}

func (r *reporter) line(pos token.Pos) int { return r.place(pos).line }

// reportf begins the message with the name of the rule, because go vet does not print it.
func (r *reporter) reportf(pos token.Pos, format string, args ...any) {
	at := r.place(pos)
	if r.ignored[at] {
		return
	}
	r.ignored[at] = true
	r.pass.Reportf(pos, "%s: %s", r.pass.Analyzer.Name, fmt.Sprintf(format, args...))
}
