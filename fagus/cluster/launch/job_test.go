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

// TestOutput checks that every line shows its rank, and that the environment gives the rank.
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

// TestJobName checks that all ranks of a job have the same job name, and that two jobs have
// different names.
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
		t.Errorf("two jobs have the names %v: want two different names", names)
	}
}

// TestFirstFailureEndsAll checks that the first failure ends all ranks soon, with the failed
// rank's exit code or signal.
func TestFirstFailureEndsAll(t *testing.T) {
	for _, c := range []struct {
		script string
		code   int
	}{
		{`[ $FAGUS_RANK = 1 ] && exit 7; sleep 25`, 7},
		{`[ $FAGUS_RANK = 1 ] && kill -KILL $$; sleep 25`, 137},
		{`trap '' TERM; [ $FAGUS_RANK = 1 ] && exit 7; sleep 25 & sleep 25`, 7}, // ignores SIGTERM
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

// TestNothingIsLeft checks that processes started by a rank end with the rank.
func TestNothingIsLeft(t *testing.T) {
	mark := fmt.Sprintf("86%d", os.Getpid()) // a number of seconds that no other process sleeps
	if _, _, err := run(t, t.Context(), 2, `sleep `+mark+` >/dev/null 2>&1 & exit 0`); err != nil {
		t.Fatal(err)
	}
	gone(t, mark)
}

// TestOutputKeptOpen checks that a rank which exits with 0 has succeeded, though a process that it
// has started keeps its output open.
func TestOutputKeptOpen(t *testing.T) {
	mark := fmt.Sprintf("85%d", os.Getpid())
	out, errs, err := run(t, t.Context(), 2, `sleep `+mark+` & echo hi; exit 0`)
	if err != nil || strings.Count(out, ": hi\n") != 2 {
		t.Errorf("%v: %s%s", err, out, errs)
	}
	gone(t, mark)
	var exit *launch.ExitError
	if _, _, err := run(t, t.Context(), 2, `sleep `+mark+` & [ $FAGUS_RANK = 0 ] || exit 4`); !errors.As(err, &exit) || exit.Rank != 1 || exit.Code != 4 {
		t.Errorf("%v, want code 4 of rank 1", err)
	}
	gone(t, mark)
}

// gone waits until no process "sleep mark" is left. It needs pgrep.
func gone(t *testing.T, mark string) {
	t.Helper()
	if _, err := exec.LookPath("pgrep"); err != nil {
		t.Skip("needs pgrep to look for processes that are left: ", err)
	}
	for begun := time.Now(); exec.Command("pgrep", "-f", "sleep "+mark).Run() == nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			left, _ := exec.Command("pgrep", "-fa", "sleep "+mark).CombinedOutput()
			t.Fatalf("processes are left: %s", left)
		}
	}
}

// TestCancelled checks that the end of the context ends the ranks, and that Run returns it.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, _, err := run(t, ctx, 2, `sleep 25`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// TestBadJobs checks the errors of jobs that cannot be started.
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

// TestOpenFiles checks that a job which needs more open files than it may have says what to do.
func TestOpenFiles(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -n 16; exec \"$0\" launcher 'sleep 5'", os.Args[0])
	const want = "too many open files: allow more: ulimit -n 1024"
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}

// TestLongLines checks that a line is whole, and that one without end is broken and not buffered
// without limit.
func TestLongLines(t *testing.T) {
	for bytes, lines := range map[int]int{200_000: 1, 16 << 20: 1, 16<<20 + 1: 2} {
		out, _, err := run(t, t.Context(), 1, fmt.Sprintf(`head -c %d /dev/zero | tr '\0' x`, bytes))
		if n := strings.Count(out, "x"); err != nil || n != bytes || strings.Count(out, "0: ") != lines || strings.Count(out, "\n") != lines {
			t.Errorf("%d bytes in %d lines: want %d in %d: %v", n, strings.Count(out, "0: "), bytes, lines, err)
		}
	}
}

// TestErrOnce checks that a line that many ranks print on standard error is printed once.
func TestErrOnce(t *testing.T) {
	var out, errs bytes.Buffer
	job := launch.Job{Size: 6, Argv: []string{"sh", "-c", `echo "out"; echo "one" >&2; echo "rank $FAGUS_RANK" >&2; exit 5`}, Stdout: &out, Stderr: &errs, ErrOnce: true}
	var exit *launch.ExitError
	if err := job.Run(t.Context()); !errors.As(err, &exit) || exit.Code != 5 {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), ": out\n"); n != 6 {
		t.Errorf("%d lines on standard output, want 6: %s", n, &out)
	}
	text := errs.String()
	if strings.Count(text, ": one\n") != 1 || strings.Count(text, ": rank ") != 6 || strings.Count(text, "5 times more: one...") != 1 || strings.Count(text, "\n") != 8 {
		t.Errorf("standard error is %s", text)
	}
}

// TestErrOnceKeepsOwn checks that a rank which prints a line several times is not silenced.
func TestErrOnceKeepsOwn(t *testing.T) {
	var out, errs bytes.Buffer
	job := launch.Job{Size: 3, Argv: []string{"sh", "-c", `echo head >&2; echo head >&2; [ $FAGUS_RANK != 2 ] || echo head >&2`}, Stdout: &out, Stderr: &errs, ErrOnce: true}
	if err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(errs.String(), ": head\n"); n != 3 {
		t.Errorf("the line comes %d times, want 3, the most that one rank prints it: %s", n, &errs)
	}
}
