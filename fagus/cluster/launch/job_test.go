//go:build unix

package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// run runs a shell script as a job.
func run(t *testing.T, ctx context.Context, size int, script string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	job := launch.Job{Size: size, Argv: []string{"sh", "-c", script}, Stdout: &out, Stderr: &errs, Grace: 500 * time.Millisecond}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err = job.Run(ctx)
	return out.String(), errs.String(), err
}

// TestOutput: every line has its rank, and the place of the rank is in its environment.
func TestOutput(t *testing.T) {
	out, errs, err := run(t, t.Context(), 3, `echo "$FAGUS_RANK of $FAGUS_SIZE"; echo oops >&2; printf end`)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	slices.Sort(lines)
	if got, want := strings.Join(lines, "|"), "0: 0 of 3|0: end|1: 1 of 3|1: end|2: 2 of 3|2: end"; got != want {
		t.Errorf("stdout %s, want %s", got, want)
	}
	if n := strings.Count(errs, ": oops\n"); n != 3 {
		t.Errorf("stderr %q", errs)
	}
}

// TestJobName: all ranks of a job have the same, two jobs have not.
func TestJobName(t *testing.T) {
	names := make(map[string]int)
	for range 2 {
		out, _, err := run(t, t.Context(), 2, `echo $FAGUS_JOB`)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out) {
			names[line[3:]]++
		}
	}
	if len(names) != 2 {
		t.Errorf("names: %v", names)
	}
}

// TestFirstFailureEndsAll: with its code, or that of its signal, and soon.
func TestFirstFailureEndsAll(t *testing.T) {
	for _, c := range []struct {
		script string
		code   int
	}{
		{`[ $FAGUS_RANK = 1 ] && exit 7; sleep 25`, 7},
		{`[ $FAGUS_RANK = 1 ] && kill -KILL $$; sleep 25`, 137},
		{`trap '' TERM; [ $FAGUS_RANK = 1 ] && exit 7; sleep 25 & sleep 25`, 7}, // those that want to stay
	} {
		begun := time.Now()
		_, _, err := run(t, t.Context(), 3, c.script)
		var exit *launch.ExitError
		if !errors.As(err, &exit) || exit.Rank != 1 || exit.Code != c.code {
			t.Errorf("%s: %v, want code %d of rank 1", c.script, err, c.code)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: took %v", c.script, took)
		}
	}
}

// TestNothingIsLeft: what a rank has started ends with it.
func TestNothingIsLeft(t *testing.T) {
	mark := fmt.Sprintf("86%d", os.Getpid()) // seconds that nobody else sleeps
	if _, _, err := run(t, t.Context(), 2, `sleep `+mark+` >/dev/null 2>&1 & exit 0`); err != nil {
		t.Fatal(err)
	}
	left := func() bool { return exec.Command("pgrep", "-f", "sleep "+mark).Run() == nil }
	for begun := time.Now(); left(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("a process is left")
		}
	}
}

// TestCancelled: the end of the context ends the ranks, and is the error.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, _, err := run(t, ctx, 2, `sleep 25`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// TestBadJobs: what cannot be started is told.
func TestBadJobs(t *testing.T) {
	for want, job := range map[string]launch.Job{
		"0 ranks: want 1 to":        {Argv: []string{"true"}},
		"no program to run":         {Size: 1},
		"executable file not found": {Size: 1, Argv: []string{"fagus-no-such-program"}},
	} {
		if err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestLongLines: a line without an end is broken, and not kept without bound.
func TestLongLines(t *testing.T) {
	out, _, err := run(t, t.Context(), 1, `head -c 200000 /dev/zero | tr '\0' x`)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out, "x"); n != 200000 || strings.Count(out, "0: ") != 4 {
		t.Errorf("%d bytes in %d lines", n, strings.Count(out, "0: "))
	}
}
