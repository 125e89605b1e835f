package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
)

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// prototypes returns the prototypes in fagus.h by name.
func prototypes(t testing.TB) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^(?:const )?\w+ \*?(fagus_\w+)\(.*\);$`).FindAllStringSubmatch(read(t, "fagus.h"), -1) {
		all[m[1]] = m[0]
	}
	if len(all) < 19 {
		t.Fatalf("fagus.h has %d functions", len(all))
	}
	return all
}

// functions returns the names of the functions in fagus.h.
func functions(t testing.TB) (names []string) {
	t.Helper()
	for name := range prototypes(t) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestManual checks that every function of fagus.h has a manual page that names the function and
// shows its prototype, and that no page shows a different prototype.
func TestManual(t *testing.T) {
	pages, err := filepath.Glob("man/*.3")
	if err != nil {
		t.Fatal(err)
	}
	want := prototypes(t)
	bare := strings.NewReplacer(`"`, "", ".BI ", "")
	for _, page := range pages {
		text := read(t, page)
		named := regexp.MustCompile(`(?s)\.SH NAME\n(.*?) \\- `).FindStringSubmatch(text)
		if named == nil {
			t.Fatalf("%s has no NAME section", page)
		}
		names := strings.Split(named[1], ", ")
		for _, line := range regexp.MustCompile(`(?m)^\.BI .*\);"?$`).FindAllString(text, -1) {
			shown := regexp.MustCompile(` +`).ReplaceAllString(bare.Replace(line), " ")
			shown = strings.NewReplacer(" ,", ",", " )", ")", "* ", "*", "( ", "(").Replace(shown)
			name := regexp.MustCompile(`fagus_\w+`).FindString(shown)
			if shown != want[name] || !slices.Contains(names, name) {
				t.Errorf("%s: %s\nfagus.h: %s", page, shown, want[name])
			}
			delete(want, name)
		}
	}
	for name := range want {
		t.Errorf("no manual page shows function %s", name)
	}
}

// TestContract checks that docs/reference/compilers.md, the Fortran and C++ interfaces and the
// codes of package csession agree with fagus.h.
func TestContract(t *testing.T) {
	header, page, fortran := read(t, "fagus.h"), read(t, "../../docs/reference/compilers.md"), read(t, "fortran/fagus.f90")
	for _, name := range functions(t) {
		if !strings.Contains(page, "`"+name) {
			t.Errorf("docs/reference/compilers.md does not describe %s", name)
		}
		for language, text := range map[string]string{"Fortran": fortran, "C++": read(t, "fagus.hpp")} {
			if !strings.Contains(text, name) && name != "fagus_strerror" {
				t.Errorf("the %s interface has no %s", language, name)
			}
		}
	}
	codes := regexp.MustCompile(`(?m)^    FAGUS_(OK|ERR_\w+)\b`).FindAllString(header, -1)
	if len(codes) != int(csession.Internal)+1 {
		t.Errorf("fagus.h has %d codes, but cmd/internal/csession has %d", len(codes), csession.Internal+1)
	}
	for i, code := range codes {
		if want := fmt.Sprintf("%s = %d", strings.ToLower(strings.TrimSpace(code)), i); !strings.Contains(fortran, want) {
			t.Errorf("the Fortran interface has no constant %s", want)
		}
	}
	for _, name := range regexp.MustCompile(`fagus_\w+`).FindAllString(page, -1) {
		if !strings.Contains(header, name) {
			t.Errorf("docs/reference/compilers.md describes %s, which is not in fagus.h", name)
		}
	}
	for _, name := range regexp.MustCompile(`FAGUS_[A-Z_]+[A-Z]`).FindAllString(page, -1) {
		if !strings.Contains(header, name) && !slices.Contains([]string{"FAGUS_MODE", "FAGUS_NET"}, name) {
			t.Errorf("docs/reference/compilers.md describes %s, which is not in fagus.h", name)
		}
	}
}

// testPage runs the program in docs/reference/compilers.md.
func testPage(t *testing.T, l *library) {
	code := regexp.MustCompile("(?s)```c\n(.*?)```").FindStringSubmatch(read(t, "../../docs/reference/compilers.md"))
	if code == nil {
		t.Fatal("docs/reference/compilers.md shows no program")
	}
	source := filepath.Join(l.folder, "page.c")
	if err := os.WriteFile(source, []byte(code[1]), 0o666); err != nil {
		t.Fatal(err)
	}
	program := l.c(t, source)
	for ranks := 1; ranks <= 4; ranks++ {
		for _, net := range []string{"shm", "tcp"} {
			if got := run(t, ranks, net, program); got != "0: 999" {
				t.Errorf("the program in docs/reference/compilers.md on %d ranks by %s prints %s", ranks, net, got)
			}
		}
	}
}
