package newprogram

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// TestOrigin: an installed fagus is known by its version, one from a checkout by the folder.
func TestOrigin(t *testing.T) {
	checkout, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	here := filepath.Join(checkout, "cmd", "fagus", "internal", "newprogram", "project.go")
	built := func(path, version, sum string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: path, Version: version, Sum: sum}}
	}
	for _, c := range []struct {
		info *debug.BuildInfo
		file string
		want Fagus
	}{
		{built(fagusModule, "v1.2.3", "h1:x"), "/gone/project.go", Fagus{Version: "v1.2.3"}},
		{built(fagusModule, "v1.2.3", "h1:x"), here, Fagus{Version: "v1.2.3"}},
		{built(fagusModule, "(devel)", ""), here, Fagus{Checkout: checkout}},
		{built(fagusModule, "v0.0.0-20261123052244-52b3304aaaaa+dirty", ""), here, Fagus{Checkout: checkout}},
		{nil, here, Fagus{Checkout: checkout}},
		{built(fagusModule, "(devel)", ""), "/gone/project.go", Fagus{}},
		{built(fagusModule, "(devel)", ""), "github.com/fagus-dsm/fagus/cmd/fagus/internal/newprogram/project.go", Fagus{}},
		{built("example.com/other", "v1.2.3", "h1:x"), "/gone/project.go", Fagus{}},
	} {
		got, err := origin(c.info, c.file)
		if got != c.want || (err != nil) != (c.want == Fagus{}) || err != nil && !usage.Is(err) {
			t.Errorf("%+v, %s: %+v, %v, want %+v", c.info, c.file, got, err, c.want)
		}
	}
	if got, err := source(""); err != nil || got.Checkout != checkout {
		t.Errorf("this test comes from %+v, %v", got, err)
	}
	if _, err := source(t.TempDir()); !usage.Is(err) || !strings.Contains(err.Error(), "it has no go.mod of "+fagusModule) {
		t.Errorf("another folder: %v", err)
	}
}

// TestModule: a module requires a version, or is redirected to a checkout whose versions it takes.
func TestModule(t *testing.T) {
	text := func(p project) map[string]string {
		t.Helper()
		files, err := p.files()
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, f := range files {
			all[f.name] = string(f.text)
		}
		return all
	}
	released := text(project{Name: "life", Module: "example.com/life", Fagus: Fagus{Version: "v1.2.3"}})
	if got := released["go.mod"]; got != "module example.com/life\n\nrequire github.com/fagus-dsm/fagus v1.2.3\n" {
		t.Errorf("with a version, go.mod is\n%s", got)
	}
	if _, ok := released["go.sum"]; ok || strings.Contains(released["README.md"], "checkout") {
		t.Errorf("with a version, README.md is\n%s", released["README.md"])
	}
	checkout, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	local := text(project{Name: "life", Module: "example.com/life", Fagus: Fagus{Checkout: checkout}})
	for _, want := range []string{"\ngo 1.", "replace github.com/fagus-dsm/fagus => " + checkout, "github.com/google/btree v"} {
		if !strings.Contains(local["go.mod"], want) {
			t.Errorf("%q is missing in go.mod:\n%s", want, local["go.mod"])
		}
	}
	for _, name := range []string{"cg", "service"} {
		e, err := example(name)
		if err != nil {
			t.Fatal(err)
		}
		module := text(project{Name: "mine", Module: "example.com/mine", Example: e, Fagus: Fagus{Checkout: checkout}})
		for _, file := range []string{"main.go", "main_test.go"} {
			want, err := os.ReadFile(filepath.Join(checkout, "apps", "examples", name, file))
			if err != nil || module[file] != string(want) {
				t.Errorf("%v; %s of example %s is\n%s", err, file, name, module[file])
			}
		}
		if !strings.Contains(module["README.md"], "`fagus new --example "+name+"`") || len(module) != len(local) {
			t.Errorf("of example %s there are %d files, and README.md is\n%s", name, len(module), module["README.md"])
		}
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil || local["go.sum"] != string(sums) || !strings.Contains(local["README.md"], "checkout "+checkout) {
		t.Errorf("%v; README.md is\n%s", err, local["README.md"])
	}
}
