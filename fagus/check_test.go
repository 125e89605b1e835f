package fagus_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
)

func needGuard(t testing.TB) {
	if err := guard.Supported(); err != nil {
		t.Skip(err)
	}
}

// report runs a wrong program and returns the error of Config.Check, or the advice.
func (w wrong) report(t *testing.T, net dimmnet.Network, mode fagus.Mode, check fagus.Check) string {
	cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode, Check: check}
	report, err := runFor(t, cfg, func(n *fagus.Node) error {
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

// TestGallery runs every wrong program in both modes and compares the reports with
// docs/reference/gallery.md. Without Config.Check nothing must be reported.
func TestGallery(t *testing.T) {
	needGuard(t)
	if runtime.GOARCH != "amd64" || os.Getpagesize() != 4096 {
		t.Skip("docs/reference/gallery.md was made on amd64, where reads can be distinguished from writes")
	}
	var b strings.Builder
	b.WriteString("# Reports about wrong programs\n\nMade by `go test ./fagus -run TestGallery -update`. The programs and their common declarations are in\nfagus/gallery_test.go and stuck_test.go; they run on two ranks. [check.md](../guide/check.md) explains `--check`,\n[rollcall.md](../guide/rollcall.md) explains roll-calls, and [vet.md](../guide/vet.md) shows programs in which fagusvet\nfinds mistakes before they run.\n\n# Reports of `--check`\n")
	listings := listPrograms(t, "gallery_test.go", "gallery", 2)
	for i, w := range gallery {
		report := w.report(t, goroutines(), fagus.Phase, w.check)
		fmt.Fprintf(&b, "\n## %s\n\n```go\n%s```\n\n```text\n%s\n```\n", w.title, listings[i], report)
		if report == "" {
			t.Errorf("%s: nothing is reported", w.title)
		}
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, net := range []dimmnet.Network{newSim(t, sim.Config{}), goroutines(), shm.New(shm.Config{Heap: 1 << 20})} {
				if again := w.report(t, net, mode, w.check); again != report {
					t.Errorf("%s: %T in %v mode reports\n%s\nwant, as in phase mode on goroutines,\n%s", w.title, net, mode, again, report)
				}
			}
		}
		if off := w.report(t, goroutines(), fagus.Phase, fagus.CheckOff); off != "" {
			t.Errorf("%s: without Config.Check the run reports %q", w.title, off)
		}
	}
	known, err := os.ReadFile("../docs/reference/gallery.md")
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(stuckSection(t, string(known)))
	compareFile(t, "../docs/reference/gallery.md", b.String())
}

// listPrograms returns the function bodies in the named list of a source file, with line
// numbers. field is the index of the body among the fields of a list element.
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

// compareFile compares a document with text, or writes it if -update is set.
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
		t.Errorf("%s is out of date (run this test with -update): line %d is\n%s\nwant\n%s", file, i+1, had[i], got[i])
	}
}

// TestCheckedPanics: Config.Check does not change a panic that has another cause than an access to
// an array. The error of the run still has the source line.
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
			t.Errorf("error %v, want the panic %q with its line", err, c.what)
		}
	}
}

// TestCheckOnLocks: in threaded mode on ranks that can read each other's memory, a checked run has
// locks, as it has without the check.
func TestCheckOnLocks(t *testing.T) {
	needGuard(t)
	cfg := fagus.Config{Nodes: 2, Net: shm.New(shm.Config{Heap: 1 << 20}), Mode: fagus.Threaded, Check: fagus.CheckOn}
	report := succeed(t, cfg, func(n *fagus.Node) error {
		_, guards, err := counters(n, 1)
		if err != nil {
			return err
		}
		return touch(n, n.Set(guards[0].Write().Unordered()))
	})
	mapped := false
	if err := cfg.Net.Run(t.Context(), 1, func(h dimmnet.Host) error {
		mapped = h.(dimmnet.Viewer).Mapped()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !mapped {
		t.Skip("under the race detector the memory of shm is the Go heap's, which cannot be mapped twice")
	}
	if locks := report.Ranks[0].Locks; locks != 1 {
		t.Errorf("rank 0 acquired %d locks, want 1", locks)
	}
}

// TestCheckLeavesNothingBehind: a checked run leaves neither mappings nor open files.
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
		w.report(t, goroutines(), fagus.Phase, w.check)
		w.report(t, shm.New(shm.Config{Heap: 1 << 20}), fagus.Threaded, w.check)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(maps), "memfd:fagus"); n > 0 {
		t.Errorf("%d mappings are left over", n)
	}
	if after := files(); after != before {
		t.Errorf("%d files are open after the runs, %d before", after, before)
	}
}
