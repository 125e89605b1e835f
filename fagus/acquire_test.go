package fagus_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAcquireIsShort: the functions that docs/internals/acquire.md lists exist, and each way of an
// Acquire has at most 600 lines of them.
func TestAcquireIsShort(t *testing.T) {
	const page, most = "../docs/internals/acquire.md", 600
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	// The tables that a way needs besides its own.
	with := map[string][]string{
		"In every mode": nil, "Phases: the loop": nil,
		"Phases: requests in words":                {"In every mode", "Phases: the loop"},
		"Phases: lists between all":                {"In every mode", "Phases: the loop"},
		"Phases: lists over a tree":                {"In every mode", "Phases: the loop"},
		"Threaded: a lock that nobody holds":       {"In every mode"},
		"Threaded: a lock that another rank holds": {"In every mode", "Threaded: a lock that nobody holds"},
		"Threaded: helper threads":                 {"In every mode"},
	}
	lines := make(map[string]int)
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		if _, ok := with[title]; !ok {
			t.Errorf("%s has a section %q that this test does not know", page, title)
		}
		for _, link := range regexp.MustCompile(`\n\| \[([\w.]+)\]\(([\w./]+)\)`).FindAllStringSubmatch(body, -1) {
			lines[title] += linesOf(t, filepath.Join("../docs/internals", link[2]), link[1])
		}
	}
	for title, others := range with {
		sum := lines[title]
		for _, other := range others {
			sum += lines[other]
		}
		if t.Logf("%s: %d lines", title, sum); lines[title] == 0 || sum > most {
			t.Errorf("%s: %d lines, want at most %d", title, sum, most)
		}
	}
}

// linesOf returns the number of lines of a function, with its comment. A method is Type.Name.
func linesOf(t *testing.T, file, function string) int {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || functionName(f) != function {
			continue
		}
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		return set.Position(f.End()).Line - set.Position(from).Line + 1
	}
	t.Errorf("%s has no function %s", file, function)
	return 0
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	return of.(*ast.Ident).Name + "." + f.Name.Name
}
