package source

import (
	"runtime"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	goroot := goLibrary(Frames(Callers()))
	if !strings.HasSuffix(goroot, "/src/") {
		t.Fatalf("goLibrary returns %q, want the folder of Go's library", goroot)
	}
	const library = "/home/me/fagus/"
	own := func(function, file string) runtime.Frame {
		return runtime.Frame{Function: module + function, File: library + file, Line: 1}
	}
	user := runtime.Frame{Function: "main.program", File: "/home/me/sums/main.go", Line: 42}
	for _, c := range []struct {
		what   string
		frames []runtime.Frame
		want   string
	}{
		{"the program computes", []runtime.Frame{user, own("fagus.(*Node).run", "fagus/check.go")}, "sums/main.go:42"},
		{"the program is in a call", []runtime.Frame{own("dimmnet.Drive", "dimmnet/drive.go"), own("phase.(*Engine).Call", "phase/engine.go"), own("fagus.(*Node).Barrier", "fagus/node.go"), user}, "sums/main.go:42"},
		{"the library calls another library", []runtime.Frame{{Function: "github.com/google/btree.(*node[...]).iterate", File: "/go/btree.go"}, own("consistency.(*Space).Bound", "consistency/space.go"), user}, "sums/main.go:42"},
		{"the program sleeps", []runtime.Frame{{Function: "time.Sleep", File: goroot + "runtime/time.go", Line: 363}, user}, "sums/main.go:42"},
		{"an app of this module", []runtime.Frame{own("fagus.(*Node).Update", "fagus/node.go"), own("apps/matmul.Run", "apps/matmul/matmul.go")}, "matmul/matmul.go:1"},
		{"a test of this module", []runtime.Frame{own("fagus.(*Node).Update", "fagus/node.go"), own("fagus_test.TestRun", "fagus/run_test.go")}, "fagus/run_test.go:1"},
		{"a test of a package of this library", []runtime.Frame{own("fagus.(*Node).Update", "fagus/node.go"), own("fagus/cluster_test.child.func1", "fagus/cluster/child_test.go")}, "cluster/child_test.go:1"},
		{"the program has returned", []runtime.Frame{own("fagus.(*Node).end", "fagus/node.go"), {Function: "runtime.goexit", File: goroot + "runtime/asm_amd64.s"}}, "unknown line"},
		{"no frames", nil, "unknown line"},
	} {
		if got := Line(c.frames); got != c.want {
			t.Errorf("%s: the line is %q, want %q", c.what, got, c.want)
		}
	}
}

// TestInlined: a closure of the library that the program has inlined is no line of the program.
func TestInlined(t *testing.T) {
	_, own, _, _ := runtime.Caller(0)
	library := strings.TrimSuffix(own, "internal/source/source_test.go") + "parts/list.go"
	got := Line([]runtime.Frame{{Function: "main.run.List[...].All.func1", File: library, Line: 7}, {Function: "main.run", File: "/home/x/sums/main.go", Line: 3}})
	if got != "sums/main.go:3" {
		t.Errorf("the line is %s", got)
	}
}

// TestOfParts: the variables of package parts are not those that the program binds itself.
func TestOfParts(t *testing.T) {
	const module = "github.com/fagus-dsm/fagus/"
	bind := runtime.Frame{Function: module + "fagus.(*Node).Bind"}
	user := runtime.Frame{Function: "main.sum"}
	parts := runtime.Frame{Function: module + "fagus/parts.NewGrid[...]"}
	for want, frames := range map[bool][]runtime.Frame{
		true:  {{Function: "runtime.Callers"}, bind, parts, user},
		false: {{Function: "runtime.Callers"}, bind, user, parts},
	} {
		if got := ofParts(frames); got != want {
			t.Errorf("ofParts(%v) is %v", frames, got)
		}
	}
}
