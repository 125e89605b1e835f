package examples

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// build compiles a command of this folder.
func build(t *testing.T, folder string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", file, "./"+folder).CombinedOutput(); err != nil {
		t.Fatalf("go build ./%s: %v\n%s", folder, err, out)
	}
	return file
}

// execute runs a program with three ranks. It returns what it prints, and its error.
func execute(t *testing.T, file string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, file, append([]string{"--nodes", "3"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// eachRun calls f with the flags for each network and mode that the examples must run on. The runs
// on goroutines are checked.
func eachRun(t *testing.T, f func(t *testing.T, flags []string)) {
	nets := []string{"inproc", "dimmnet1", "udp100"}
	if shm.Supported() == nil && longtest.Enabled() {
		nets = append(nets, "shm", "tcp")
	}
	for _, net := range nets {
		for _, mode := range []string{"phase", "threaded"} {
			flags := []string{"--net", net, "--mode", mode}
			if net == "inproc" && runtime.GOOS == "linux" {
				flags = append(flags, "--check")
			}
			t.Run(net+"/"+mode, func(t *testing.T) { f(t, flags) })
		}
	}
}

// TestLife: as many cells live at the end as in a game without Fagus.
func TestLife(t *testing.T) {
	longtest.Third(t)
	want := fmt.Sprintf("%d cells live\n", alone(64, 100))
	file := build(t, "life")
	eachRun(t, func(t *testing.T, flags []string) {
		if out, errs, err := execute(t, file, flags...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%v, output\n%s%s\nwant %q", err, out, errs, want)
		}
	})
}

// TestTasks: there are 724 ways to place 10 queens.
func TestTasks(t *testing.T) {
	longtest.Need(t)
	file := build(t, "tasks")
	eachRun(t, func(t *testing.T, flags []string) {
		if out, errs, err := execute(t, file, flags...); err != nil || !strings.Contains(out, "724 ways\n") {
			t.Errorf("%v, output\n%s%s\nwant 724 ways", err, out, errs)
		}
	})
}

func TestWordCount(t *testing.T) {
	longtest.Need(t)
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("the cat\nand the dog\n\nAnd THE bird and a fox\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	file := build(t, "wordcount")
	eachRun(t, func(t *testing.T, flags []string) {
		out, errs, err := execute(t, file, append(flags, "--most", "3", text)...)
		if want := "3 and\n3 the\n1 a\n"; err != nil || !strings.Contains(out, want) {
			t.Errorf("%v, output\n%s%s\nwant\n%s", err, out, errs, want)
		}
	})
}

// TestWrongLife: --check finds in either mode that only the order of phases separates the ranks.
func TestWrongLife(t *testing.T) {
	longtest.Need(t)
	if runtime.GOOS != "linux" {
		t.Skip("--check needs Linux")
	}
	file := build(t, "testdata/wronglife")
	want := "nothing but the order of phases separates the tenures of rank "
	for _, mode := range []string{"phase", "threaded"} {
		if out, errs, err := execute(t, file, "--mode", mode); err != nil {
			t.Errorf("%s mode, unchecked: %v, output\n%s%s", mode, err, out, errs)
		}
		out, errs, err := execute(t, file, "--mode", mode, "--check")
		if err == nil || !strings.Contains(errs, want) || !strings.Contains(errs, "wronglife/main.go:") {
			t.Errorf("%s mode: %v, output\n%s%s\nwant an error that names the line", mode, err, out, errs)
		}
	}
}

// alone plays life on a torus without Fagus, and returns how many cells live at the end.
func alone(size, generations int) (alive int) {
	cells := make([]bool, size*size)
	for i := range size {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for j := range size {
			cells[i*size+j] = random.IntN(2) == 1
		}
	}
	for range generations {
		around := make([]int, size*size)
		for at, lives := range cells {
			for _, d := range [][2]int{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}} {
				if lives {
					around[(at/size+d[0]+size)%size*size+(at+d[1]+size)%size]++
				}
			}
		}
		for at := range cells {
			cells[at] = around[at] == 3 || around[at] == 2 && cells[at]
		}
	}
	for _, lives := range cells {
		if lives {
			alive++
		}
	}
	return alive
}
