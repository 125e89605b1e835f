package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// bound limits the time of a program or a compiler.
const bound = 2 * time.Minute

// library is a folder with the library and programs that use it.
type library struct{ folder string }

// build builds the library, once for all subtests of a test.
func build(t testing.TB) *library {
	t.Helper()
	needsCgo(t)
	l := &library{t.TempDir()}
	l.must(t, "go", "build", "-buildmode=c-shared", "-o", filepath.Join(l.folder, "libfagus.so"), ".")
	return l
}

// must runs a command.
func (l *library) must(t testing.TB, argv ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
}

// compile compiles a program.
func (l *library) compile(t testing.TB, source string, compiler ...string) string {
	t.Helper()
	needs(t, compiler[0])
	program := filepath.Join(l.folder, strings.ReplaceAll(filepath.Base(source), ".", "_"))
	argv := slices.Concat(compiler, []string{"-O2", "-I."})
	if compiler[0] == "gfortran" {
		argv = append(argv, "-J"+l.folder, "fortran/fagus.f90")
	}
	l.must(t, append(argv, source, "-o", program, "-L"+l.folder, "-lfagus", "-lm", "-Wl,-rpath,"+l.folder)...)
	return program
}

// c compiles a C program and fails on any warning.
func (l *library) c(t testing.TB, source string, flags ...string) string {
	t.Helper()
	return l.compile(t, source, append([]string{"gcc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-pthread"}, flags...)...)
}

// run runs a program on the given number of ranks and returns its output, sorted by lines.
func run(t testing.TB, ranks int, net string, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	var stdout, stderr bytes.Buffer
	job := launch.Job{Size: ranks, Argv: argv, Env: append(os.Environ(), "FAGUS_NET="+net), Stdout: &stdout, Stderr: &stderr}
	if err := job.Run(ctx); err != nil {
		t.Fatalf("%v on %d ranks by %s: %v\n%s", argv, ranks, net, err, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestPrograms runs the examples in all languages for which there is a compiler, and the program in
// docs/reference/compilers.md. It is long because the library contains all packages, compiled again
// for it.
func TestPrograms(t *testing.T) {
	longtest.Need(t)
	l := build(t)
	fagus := l.command(t)
	t.Run("outline", func(t *testing.T) {
		program := l.c(t, "examples/outline.c")
		for ranks := 1; ranks <= 4; ranks++ {
			for _, net := range []string{"shm", "tcp"} {
				var want []string
				for rank := range ranks {
					want = append(want, fmt.Sprintf("%d: rank %[1]d of %d counts %d", rank, ranks, 10*ranks))
				}
				if got := run(t, ranks, net, program); got != strings.Join(want, "\n") {
					t.Errorf("%d ranks by %s:\n%s", ranks, net, got)
				}
			}
		}
	})
	t.Run("page", func(t *testing.T) { testPage(t, l) })
	t.Run("matmul", func(t *testing.T) { testMatmul(t, l.c(t, "examples/matmul.c")) })
	t.Run("c++", func(t *testing.T) {
		same(t, l.compile(t, "examples/matmul.cpp", "g++", "-std=c++17", "-Wall", "-Wextra", "-Werror"), l.c(t, "examples/matmul.c"))
	})
	t.Run("c++, all of it", func(t *testing.T) {
		for _, compiler := range []string{"g++", "clang++"} {
			program := l.compile(t, "testdata/face.cpp", compiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
			if got := run(t, 3, "tcp", program); got != "0: 6 6 1.5\n1: 6 6 1.5\n2: 6 6 1.5" {
				t.Error(got)
			}
		}
	})
	t.Run("fortran", func(t *testing.T) {
		program := l.compile(t, "examples/matmul.f90", "gfortran", "-std=f2018", "-Wall", "-Wextra")
		same(t, program, program)
	})
	t.Run("address sanitizer", func(t *testing.T) {
		program := l.c(t, "examples/matmul.c", "-fsanitize=address,undefined", "-fno-sanitize-recover")
		run(t, 2, "shm", program, "33")
		run(t, 1, "shm", l.c(t, "testdata/misuse.c", "-fsanitize=address,undefined", "-fno-sanitize-recover"))
	})
	t.Run("clang", func(t *testing.T) {
		flags := []string{"clang", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"}
		for _, source := range []string{"examples/outline.c", "testdata/misuse.c", "testdata/threads.c", "testdata/pairs.c"} {
			l.compile(t, source, append(flags, "-D_POSIX_C_SOURCE=200809L", "-pthread")...)
		}
		testMatmul(t, l.compile(t, "examples/matmul.c", flags...))
		same(t, l.compile(t, "examples/matmul.cpp", "clang++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"), l.c(t, "examples/matmul.c"))
	})
	t.Run("valgrind", func(t *testing.T) {
		needs(t, "valgrind")
		valgrind := []string{"valgrind", "-q", "--leak-check=full", "--suppressions=fagus.supp", "--error-exitcode=9"}
		run(t, 2, "shm", append(valgrind, l.c(t, "examples/outline.c"))...)
		run(t, 1, "shm", append(valgrind, l.c(t, "testdata/misuse.c"))...)
		out, err := exec.CommandContext(t.Context(), valgrind[0], append(valgrind[1:], l.c(t, "testdata/overflow.c"))...).CombinedOutput()
		if err == nil || strings.Count(string(out), "Invalid write") != 1 || !strings.Contains(string(out), "0 bytes after a block of size 10") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("simulated", func(t *testing.T) {
		outline := l.c(t, "examples/outline.c")
		said := make(map[string]bool)
		for range 2 {
			out, err := exec.CommandContext(t.Context(), fagus, "launch", "--net", "dimmnet1", "-n", "3", "--", outline).CombinedOutput()
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			slices.Sort(lines)
			if err != nil || len(lines) != 4 || !strings.Contains(lines[3], "trace hash") || lines[2] != "2: rank 2 of 3 counts 30" {
				t.Fatalf("%v\n%s", err, out)
			}
			said[lines[3]] = true
		}
		if len(said) != 1 {
			t.Errorf("two runs differ: %v", said)
		}
	})
	t.Run("simulated, hostile", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), bound)
		defer cancel()
		out, err := exec.CommandContext(ctx, fagus, "launch", "--net", "dimmnet1", "-n", "2", "--", l.c(t, "testdata/hostile.c")).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "reading from the process of rank 1: csession: decoding a request: a name of 4294967295 bytes") ||
			!strings.Contains(string(out), fmt.Sprintf("0: %d\n", csession.Lost)) {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("misuse", func(t *testing.T) {
		want, err := os.ReadFile("testdata/misuse.txt")
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), l.c(t, "testdata/misuse.c")).Output()
		if err != nil || !bytes.Equal(out, want) {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("threads", func(t *testing.T) {
		if got := run(t, 1, "shm", l.c(t, "testdata/threads.c")); got != "0: 0 codes are wrong; the error is a text" {
			t.Error(got)
		}
	})
	t.Run("a rank that ends early", func(t *testing.T) {
		program := l.c(t, "testdata/early.c")
		if got := run(t, 2, "shm", program); !strings.HasPrefix(got, "0: 14 ") {
			t.Errorf("the other rank prints %s", got)
		}
	})
}

// same checks that program prints on 1 to 3 ranks the sum that other prints on one rank.
func same(t *testing.T, program, other string) {
	after := func(line string) string { return line[strings.Index(line, "sum"):] }
	want := after(run(t, 1, "shm", other, "65"))
	for ranks := 1; ranks <= 3; ranks++ {
		if got := after(run(t, ranks, "shm", program, "65")); got != want {
			t.Errorf("%d ranks: %s, want %s", ranks, got, want)
		}
	}
}
