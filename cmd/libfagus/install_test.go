package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// tree is a folder with an installed library.
type tree struct {
	*library
	root  string // DESTDIR
	fagus string // path of the command fagus
}

// prefix is the PREFIX of the installation.
const prefix = "/opt/fagus"

// needs skips the test if one of the programs is not installed.
func needs(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("needs %s, which is not installed", p)
		}
	}
}

// needsCgo skips a short test, and a test on a machine where the C library cannot be built.
func needsCgo(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the C library, which takes some time")
	}
	needs(t, "gcc", "go")
	out, err := exec.CommandContext(t.Context(), "go", "env", "CGO_ENABLED").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(out)) != "1" {
		t.Skip("needs cgo, which is off: set CGO_ENABLED=1")
	}
}

// path returns the path of an installed file.
func (l *tree) path(name string) string { return filepath.Join(l.root, prefix, name) }

// TestInstall checks that a program can be built with only the installed files: with pkg-config
// and with CMake, with the shared and with the static library.
func TestInstall(t *testing.T) {
	longtest.Need(t)
	needsCgo(t)
	needs(t, "make")
	l := &tree{&library{t.TempDir()}, t.TempDir(), ""}
	l.must(t, "make", "install", "BUILD="+filepath.Join(l.folder, "build"), "DESTDIR="+l.root, "PREFIX=/elsewhere")
	l.must(t, "make", "install", "BUILD="+filepath.Join(l.folder, "build"), "DESTDIR="+l.root, "PREFIX="+prefix)
	l.fagus = l.command(t)
	for _, compiler := range []string{"gcc", "clang"} {
		t.Run("pkg-config, "+compiler, func(t *testing.T) {
			needs(t, "pkg-config", compiler)
			program := filepath.Join(l.folder, "shared")
			l.must(t, slices.Concat([]string{compiler, "examples/outline.c", "-o", program}, l.flags(t, "--cflags", "--libs"))...)
			l.launch(t, program, "shm", "LD_LIBRARY_PATH="+l.path("lib"))
		})
		t.Run("pkg-config, static, "+compiler, func(t *testing.T) {
			needs(t, "pkg-config", compiler)
			program := filepath.Join(l.folder, "static")
			flags := l.flags(t, "--static", "--cflags", "--libs")
			flags[slices.Index(flags, "-lfagus")] = "-l:libfagus.a"
			l.must(t, slices.Concat([]string{compiler, "examples/outline.c", "-o", program}, flags)...)
			l.launch(t, program, "shm")
			l.launch(t, program, "dimmnet1")
		})
	}
	for _, static := range []string{"OFF", "ON"} {
		t.Run("cmake, static "+static, func(t *testing.T) { l.cmake(t, static) })
	}
	t.Run("c++", func(t *testing.T) {
		needs(t, "g++")
		l.must(t, "g++", "-fsyntax-only", "-std=c++17", "-I"+l.path("include"), "examples/matmul.cpp")
	})
	t.Run("fortran", func(t *testing.T) {
		needs(t, "gfortran")
		l.must(t, "gfortran", "-fsyntax-only", "-J"+l.folder, l.path("include/fagus.f90"), "examples/matmul.f90")
	})
	t.Run("manual", func(t *testing.T) {
		for _, f := range functions(t) {
			if text, err := os.ReadFile(l.path("share/man/man3/" + f + ".3")); err != nil || !strings.Contains(string(text), f) {
				t.Error(f, err)
			}
		}
	})
}

// command builds the command fagus.
func (l *library) command(t testing.TB) string {
	t.Helper()
	fagus := filepath.Join(l.folder, "fagus")
	l.must(t, "go", "build", "-o", fagus, "../fagus")
	return fagus
}

// flags returns the flags that pkg-config prints for the library.
func (l *tree) flags(t *testing.T, options ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "pkg-config", append(options, "fagus")...)
	cmd.Env = append(os.Environ(), "PKG_CONFIG_PATH="+l.path("lib/pkgconfig"), "PKG_CONFIG_SYSROOT_DIR="+l.root)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// cmake builds a program with the CMake module.
func (l *tree) cmake(t *testing.T, static string) {
	needs(t, "cmake", "make")
	source, err := filepath.Abs("examples/outline.c")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	text := fmt.Sprintf(`cmake_minimum_required(VERSION 3.16)
project(outline C)
list(APPEND CMAKE_MODULE_PATH %s)
set(Fagus_USE_STATIC_LIBS %s)
find_package(Fagus REQUIRED)
add_executable(outline %s)
target_link_libraries(outline Fagus::Fagus)
`, l.path("share/fagus/cmake"), static, source)
	if err := os.WriteFile(filepath.Join(folder, "CMakeLists.txt"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	l.must(t, "cmake", "-S", folder, "-B", folder+"/build")
	l.must(t, "cmake", "--build", folder+"/build")
	l.launch(t, folder+"/build/outline", "shm") // CMake has set the RPATH to the library
}

// launch runs examples/outline on 3 ranks with `fagus launch`.
func (l *tree) launch(t *testing.T, program, net string, env ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.fagus, "launch", "-n", "3", "--net", net, "--", program)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	if got := strings.Join(lines, "; "); err != nil || got != "0: rank 0 of 3 counts 30; 1: rank 1 of 3 counts 30; 2: rank 2 of 3 counts 30" {
		t.Errorf("%s by %s: %v: %s", program, net, err, got)
	}
}
