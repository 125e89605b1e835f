package examples

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// build compiles commands of this folder, and returns the folder that they are in.
func build(t *testing.T, commands ...string) (folder string) {
	t.Helper()
	folder = t.TempDir() + string(filepath.Separator)
	args := []string{"build", "-o", folder}
	for _, c := range commands {
		args = append(args, "./"+c)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %q: %v\n%s", args, err, out)
	}
	return folder
}

// execute runs a program in a folder. It returns what it prints, and its error.
func execute(t *testing.T, folder, file string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// slowNetworks returns the networks on which the tests in the folders of the examples do not run.
func slowNetworks() []string {
	nets := []string{"udp100"}
	if shm.Supported() == nil {
		nets = append(nets, "shm", "tcp")
	}
	return nets
}

// TestAll: every folder with a program is an example, and the first line of the program says in a
// few words what it does.
func TestAll(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*/main.go")
	if err != nil || len(files) != len(all) {
		t.Errorf("%d examples, want one in each of %q, %v", len(all), files, err)
	}
	for _, e := range all {
		if e.About == "" || len(e.Main) == 0 || !bytes.Contains(e.Test, []byte("fagustest.Run(")) || !bytes.Contains(e.Main, []byte("\n//\tgo run . ")) {
			t.Errorf("%s: %q, a main.go of %d bytes, a test of %d: want a line that says how to run it, and a test with fagustest", e.Name, e.About, len(e.Main), len(e.Test))
		}
	}
}

// results runs a program, and returns what it prints, and the files that it writes.
func results(t *testing.T, file string, args ...string) map[string]string {
	t.Helper()
	folder := t.TempDir()
	text := "the cat\nand the dog\n\nAnd THE bird and a fox\n"
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, errs, err := execute(t, folder, file, append(args, "--quiet")...)
	if err != nil || out == "" {
		t.Fatalf("%q: %v, output\n%s%s", args, err, out, errs)
	}
	all := map[string]string{"output": out}
	names, err := filepath.Glob(filepath.Join(folder, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(text)
	}
	return all
}

// TestResults: what a program prints and writes is the same on 3 ranks of every network, in both
// modes, as on one rank.
func TestResults(t *testing.T) {
	longtest.Need(t)
	small := map[string][]string{
		"cg": {"--size", "30"}, "fft": {"--size", "64"}, "frontier": {"--scale", "8"}, "halo": {"--size", "40", "--steps", "50"},
		"index": nil, "life": {"--generations", "30"}, "nbody": {"--bodies", "60", "--steps", "20"}, "picture": {"--size", "50"},
		"pipeline": {"--documents", "10"}, "tasks": {"--size", "8"},
	}
	names := slices.Sorted(maps.Keys(small))
	// TestService runs the one that does not end by itself.
	if files, err := filepath.Glob("*/main.go"); err != nil || len(files) != len(names)+1 {
		t.Errorf("%d examples are run, of %q, %v", len(names), files, err)
	}
	names = longtest.Share(names)
	folder := build(t, names...)
	for _, name := range names {
		file := filepath.Join(folder, name)
		want := results(t, file, append(small[name], "--nodes", "1")...)
		for _, net := range slowNetworks() {
			for _, mode := range []string{"phase", "threaded"} {
				t.Run(name+"/"+net+"/"+mode, func(t *testing.T) {
					got := results(t, file, append(small[name], "--nodes", "3", "--net", net, "--mode", mode)...)
					if !maps.Equal(got, want) {
						t.Errorf("the results are\n%q\nwant\n%q", got, want)
					}
				})
			}
		}
	}
}

// TestResumes: a run goes on after the steps of the last checkpoint, on another number of ranks,
// another network, and in another mode.
func TestResumes(t *testing.T) {
	longtest.Need(t)
	small := map[string][]string{"cg": {"--size", "30"}, "halo": {"--size", "40"}, "nbody": {"--bodies", "60"}}
	folder := build(t, slices.Sorted(maps.Keys(small))...)
	for name, args := range small {
		t.Run(name, func(t *testing.T) {
			file, saved := filepath.Join(folder, name), filepath.Join(t.TempDir(), "saved")
			results(t, file, append(args, "--steps", "9", "--nodes", "3", "--checkpoint", saved, "--checkpoint-every", "0s")...)
			want := results(t, file, append(args, "--steps", "12", "--nodes", "1")...)
			for _, flags := range []string{"--nodes 2 --mode threaded", "--nodes 4 --net dimmnet1"} {
				got := results(t, file, slices.Concat(args, []string{"--steps", "12", "--checkpoint", saved, "--checkpoint-every", "1h"}, strings.Fields(flags))...)
				if !maps.Equal(got, want) {
					t.Errorf("%s: the results are\n%q\nwant\n%q", flags, got, want)
				}
			}
			// There is no checkpoint after the last step.
			_, errs, err := execute(t, t.TempDir(), file, append(args, "--steps", "7", "--checkpoint", saved)...)
			if err == nil || !strings.Contains(errs, "the run resumes after 8 steps") {
				t.Errorf("with 7 steps: %v, %s\nwant an error that 8 have been made", err, errs)
			}
		})
	}
}

// TestService: the service answers on every network, and SIGTERM ends it.
func TestService(t *testing.T) {
	longtest.Need(t)
	if runtime.GOOS == "windows" {
		t.Skip("SIGTERM does not exist")
	}
	file := filepath.Join(build(t, "service"), "service")
	for _, net := range append(slowNetworks(), "inproc") {
		for _, mode := range []string{"phase", "threaded"} {
			t.Run(net+"/"+mode, func(t *testing.T) { testService(t, file, "--net", net, "--mode", mode) })
		}
	}
	if out, errs, err := execute(t, t.TempDir(), file, "--nodes", "1"); err == nil || !strings.Contains(errs, "want 2 ranks or more") {
		t.Errorf("on 1 rank: %v, output\n%s%s", err, out, errs)
	}
}

func testService(t *testing.T, file string, args ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, append(args, "--nodes", "3", "--listen", "127.0.0.1:0")...)
	var errs bytes.Buffer
	cmd.Stderr, cmd.Cancel, cmd.WaitDelay = &errs, func() error { return cmd.Process.Signal(syscall.SIGTERM) }, 10*time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		err = ask(ctx, strings.TrimSuffix(line, "/status\n"))
	}
	cancel() // sends SIGTERM
	begin := time.Now()
	if ends := cmd.Wait(); err != nil || cmd.ProcessState.ExitCode() != 130 || !strings.Contains(errs.String(), "terminated") {
		t.Errorf("%v, then after %v %v, exit code %d, want 130; it printed\n%s%s", err, time.Since(begin), ends, cmd.ProcessState.ExitCode(), line, errs.String())
	}
}

// ask asks a service for the prime numbers below 100000, and then for its status.
func ask(ctx context.Context, url string) error {
	for _, x := range [][2]string{{"/count?from=0&to=100000", "9592 primes from 0 to 99999, by rank "}, {"/status", " primes in "}, {"/count", "want /count?from=A&to=B"}} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+x[0], nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(text), x[1]) {
			return fmt.Errorf("%s%s: %q, %w, want %q", url, x[0], text, err, x[1])
		}
	}
	return nil
}

// TestWrongLife: --check finds in either mode that only the order of phases separates the ranks.
func TestWrongLife(t *testing.T) {
	longtest.Need(t)
	if runtime.GOOS != "linux" {
		t.Skip("--check needs Linux")
	}
	file := filepath.Join(build(t, "testdata/wronglife"), "wronglife")
	want := "nothing but the order of phases separates the tenures of rank "
	for _, mode := range []string{"phase", "threaded"} {
		if out, errs, err := execute(t, t.TempDir(), file, "--nodes", "3", "--mode", mode); err != nil {
			t.Errorf("%s mode, unchecked: %v, output\n%s%s", mode, err, out, errs)
		}
		out, errs, err := execute(t, t.TempDir(), file, "--nodes", "3", "--mode", mode, "--check")
		if err == nil || !strings.Contains(errs, want) || !strings.Contains(errs, "wronglife/main.go:") {
			t.Errorf("%s mode: %v, output\n%s%s\nwant an error that names the line", mode, err, out, errs)
		}
	}
}
