//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// large has for each program flags with which it runs for long, most of it in phases without a
// call: input, set-up, verification.
func large() map[string]string {
	return map[string]string{
		"matmul": "--n 5000", "many": "--variables 200000 --bytes 4096", "workqueue": "--tasks 1000000", "tsp": "--cities 16", "sor": "--n 6000",
		"radix": "--keys 50000000", "lu": "--n 4000", "water": "--molecules 20000", "barnes": "--bodies 1000000", "kmeans": "--points 5000000",
		"pagerank": "--pages 5000000 --links 30000000", "conjugate": "--grid 2500", "mandelbrot": "--width 60000", "wordcount": "--words 30000000",
		"random": "--rounds 65535", "ep": "--class B", "ft": "--class B", "mg": "--class B", "is": "--class B", "cg": "--class B", "bt": "--class B", "sp": "--class B", "ssor": "--class B",
		"dgemm": "--n 6000", "stencil": "--n 12000", "transpose": "--n 12000", "nstream": "--length 60000000", "p2p": "--rows 20000 --columns 10000",
	}
}

// TestLimits: whatever a program is doing, on every network, --timeout and signals end it within
// two seconds. Tests that are not thorough try one network for every other program.
func TestLimits(t *testing.T) {
	longtest.Third(t)
	networks := []string{"inproc", "shm", "dimmnet1", "tcp"}
	ends := []string{"timeout", "INT", "TERM"}
	few := longtest.Cases(1, 2*len(networks)) // of the combinations one in so many
	if testing.Short() {
		few *= 3
	}
	for i, p := range catalog.Programs() {
		flags, ok := large()[p.Name]
		if !ok {
			t.Errorf("no flags with which %s runs for long", p.Name)
		}
		for j, net := range networks {
			if (len(networks)*i+i+j)%few != 0 {
				continue
			}
			endOverdue(t, ends[(i+j)%len(ends)], append(strings.Fields(flags), "--net", net, "--nodes", "2"), "run", p.Name)
		}
	}
	endOverdue(t, "TERM", []string{"--plain", "--pages", "5000000", "--links", "30000000"}, "run", "pagerank")
	endOverdue(t, "timeout", []string{"--nodes", "65536"}, "run", "sor")
	endOverdue(t, "timeout", []string{"--n", "4000", "--nodes", "2"}, "compare", "matmul")
	endOverdue(t, "TERM", []string{"--samples", "1000", "--net", "inproc"}, "bench")
}

// endOverdue ends a command after a second, and checks its exit code and how long it takes to end.
func endOverdue(t *testing.T, how string, flags []string, command ...string) {
	t.Helper()
	const after = time.Second
	want := 130
	args := append(command, flags...)
	if how == "timeout" {
		want = 124
		args = append(args, "--timeout", after.String())
	}
	var errs bytes.Buffer
	began := time.Now()
	cmd := exec.Command("fagus", args...)
	cmd.Stderr = &errs
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if how != "timeout" {
		time.Sleep(after)
		s := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM}[how]
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	err := cmd.Wait()
	took := time.Since(began) - after
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 && strings.Contains(errs.String(), "memory") {
		t.Logf("%v: this machine has too little memory", args)
		return
	}
	if err == nil && slices.Equal(command, []string{"run", "tsp"}) {
		t.Logf("%v: 16 cities, the most that there may be, take this machine less than %v", args, after)
		return
	}
	if exit == nil || exit.ExitCode() != want {
		t.Errorf("%v, ended by %s: %v, want code %d: %s", args, how, err, want, errs.String())
	}
	if bound := patience(t); took > bound {
		t.Errorf("%v, ended by %s: it took %v to end, want at most %v: %s", args, how, took, bound, errs.String())
	}
}

// patience returns how long a command may take to end: two seconds, and more on a loaded machine,
// where a process that has nothing to do takes long, too.
func patience(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	if err := exec.Command("fagus", "version").Run(); err != nil {
		t.Fatal(err)
	}
	return 2*time.Second + 30*time.Since(began)
}

// TestLimitUnread: a command whose output nobody reads ends when its time is over, and by a signal.
func TestLimitUnread(t *testing.T) {
	for _, line := range []string{
		"run matmul --n 64 --timeout 1s", "run matmul --n 64 --net shm --nodes 2 --timeout 1s", "run sor --n 6000 --net inproc --timeout 1s",
		"compare matmul --n 8 --timeout 1s", "compare matmul --n 4000", "bench --net inproc --timeout 1s", "bench --samples 1000",
		"lab swarm --seconds 30", "lab sweep transfer", "launch -n 2 --timeout 1s -- yes", "launch -n 2 -- yes", "apps", "help run matmul",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel() // they mostly wait
			endUnread(t, line)
		})
	}
}

func endUnread(t *testing.T, line string) {
	t.Helper()
	r, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []int{4096, 1} {
		for err = full.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err == nil; {
			_, err = full.Write(make([]byte, block))
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	cmd := exec.Command("fagus", strings.Fields(line)...)
	cmd.Stdout, cmd.Stderr = full, full
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	overdue := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	want := 124
	if !strings.Contains(line, "--timeout") {
		want = 130
		time.Sleep(time.Second)
		_ = cmd.Process.Signal(syscall.SIGTERM) // Wait says whether it has ended before
	}
	err = cmd.Wait()
	overdue.Stop()
	took := time.Since(began) - time.Second
	var exit *exec.ExitError
	if bound := patience(t); !errors.As(err, &exit) || exit.ExitCode() != want || took > bound {
		t.Errorf("%s: %v, %v late, want exit code %d at most %v late", line, err, took, want, bound)
	}
	_, _ = r.Close(), full.Close() // nobody reads
}

// TestLimitWhileWriting: a run that is ended while it waits for the reader of its report, or for
// more input, ends, and leaves no temporary file.
func TestLimitWhileWriting(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "in.txt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	endOverdue(t, "timeout", []string{"--in", pipe, "--net", "inproc"}, "run", "pagerank")
	endOverdue(t, "TERM", []string{"--in", pipe, "--net", "shm"}, "run", "wordcount")
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	endOverdue(t, "timeout", []string{"--n", "4000", "--net", "inproc", "--out", filepath.Join(dir, "c.npy")}, "run", "matmul")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
