package fagus_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/guard"
)

func needGuard(t testing.TB) {
	if err := guard.Supported(); err != nil {
		t.Skip(err)
	}
}

// says is what Config.Check says about a wrong program: the error, or the advice.
func (w wrong) says(t *testing.T, net dimmnet.Network, mode fagus.Engine, check fagus.Check) string {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode, Check: check}
	report, err := fagus.Run(ctx, cfg, func(n *fagus.Node) error {
		s, err := newExhibit(n)
		if err != nil {
			return err
		}
		return w.body(n, s)
	})
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, a := range report.Advice {
		lines = append(lines, a.String())
	}
	return strings.Join(lines, "\n")
}

// TestGallery runs every wrong program in both modes and compares what is said with
// docs/gallery.md. Unchecked, nobody notices.
func TestGallery(t *testing.T) {
	needGuard(t)
	if runtime.GOARCH != "amd64" || os.Getpagesize() != 4096 {
		t.Skip("docs/gallery.md is of amd64, which tells reads from writes")
	}
	var b strings.Builder
	b.WriteString("# What is said about wrong programs\n\nMade by `go test ./fagus -run TestGallery -update`. The programs are in fagus/gallery_test.go and stuck_test.go, with what they share;\nthey run on two ranks. [check.md](check.md) says how `--check` works, [rollcall.md](rollcall.md) when a roll-call is made, and\n[vet.md](vet.md) has programs that fagusvet finds before they run.\n\n# What `--check` says\n")
	listings := listPrograms(t, "gallery_test.go", "gallery", 2)
	for i, w := range gallery {
		said := w.says(t, inproc.New(inproc.Config{}), fagus.Phase, w.check)
		fmt.Fprintf(&b, "\n## %s\n\n```go\n%s```\n\n```text\n%s\n```\n", w.title, listings[i], said)
		if said == "" {
			t.Errorf("%s: nothing is said", w.title)
		}
		for _, other := range []struct {
			net  dimmnet.Network
			mode fagus.Engine
		}{{newSim(t, sim.Config{}), fagus.Phase}, {inproc.New(inproc.Config{}), fagus.Threaded}, {newSim(t, sim.Config{}), fagus.Threaded}} {
			if again := w.says(t, other.net, other.mode, w.check); again != said {
				t.Errorf("%s: %T, %v mode:\n%s\nphase mode on goroutines:\n%s", w.title, other.net, other.mode, again, said)
			}
		}
		if off := w.says(t, inproc.New(inproc.Config{}), fagus.Phase, fagus.CheckOff); off != "" {
			t.Errorf("%s: unchecked: %s", w.title, off)
		}
	}
	known, err := os.ReadFile("../docs/gallery.md")
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(stuckSection(t, string(known)))
	compareFile(t, "../docs/gallery.md", b.String())
}

// listPrograms returns the bodies of the programs in a list, with the numbers of their
// lines; field is the place of the body in an element.
func listPrograms(t *testing.T, file, list string, field int) (listings []string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, file, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	var programs []ast.Expr
	for _, d := range syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			if spec := g.Specs[0].(*ast.ValueSpec); spec.Names[0].Name == list {
				programs = spec.Values[0].(*ast.CompositeLit).Elts
			}
		}
	}
	for _, e := range programs {
		body := e.(*ast.CompositeLit).Elts[field].(*ast.FuncLit).Body
		var b strings.Builder
		for n := set.Position(body.Lbrace).Line + 1; n < set.Position(body.Rbrace).Line; n++ {
			fmt.Fprintf(&b, "%d%s\n", n, strings.TrimPrefix(lines[n-1], "\t"))
		}
		listings = append(listings, b.String())
	}
	return listings
}

// compareFile compares a document with what it is to be, or writes it.
func compareFile(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		got, had := strings.Split(text, "\n"), strings.Split(string(want), "\n")
		i := 0
		for i < min(len(got), len(had))-1 && got[i] == had[i] {
			i++
		}
		t.Errorf("%s: line %d is\n%s\n-update writes\n%s", file, i+1, had[i], got[i])
	}
}

// TestCheckedPanics: a panic that is no access to an array stays what it was, and its
// line is still told.
func TestCheckedPanics(t *testing.T) {
	needGuard(t)
	for _, c := range []struct {
		what    string
		program func(*fagus.Node) error
	}{
		{"runtime error: index out of range [9] with length 3", func(n *fagus.Node) error {
			_ = make([]int, 3)[n.Nodes()+8]
			return nil
		}},
		{"nil pointer dereference", func(n *fagus.Node) error {
			var s *exhibit
			_ = s.counts
			return nil
		}},
	} {
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Check: fagus.CheckOn}, c.program)
		if err == nil || !strings.Contains(err.Error(), "rank 0 panicked: ") || !strings.Contains(err.Error(), c.what) || !strings.Contains(err.Error(), "check_test.go:") {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestCheckLeavesNothingBehind: neither mappings nor files.
func TestCheckLeavesNothingBehind(t *testing.T) {
	needGuard(t)
	files := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := files()
	for _, w := range gallery {
		w.says(t, inproc.New(inproc.Config{}), fagus.Phase, w.check)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(maps), "memfd:fagus"); n > 0 {
		t.Errorf("%d mappings are left", n)
	}
	if after := files(); after != before {
		t.Errorf("%d files are open, before there were %d", after, before)
	}
}
