//go:build linux

package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// startLauncher starts a launcher, in a process group of its own, whose ranks are shells that start
// a "sleep mark", and returns it when both do.
func startLauncher(t *testing.T, mark string) *exec.Cmd {
	t.Helper()
	hearHangUp(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "launcher", "echo starts; sleep "+mark+"; true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	for strings.Count(seen.String(), "starts") < 2 {
		if _, err := io.CopyN(&seen, out, 1); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(300 * time.Millisecond) // the shells start their sleeps
	return cmd
}

// hearHangUp makes this process, and those that it starts, no longer ignore SIGHUP, as they do
// under nohup. A signal that is caught is not ignored by a process that is started.
func hearHangUp(t *testing.T) {
	t.Helper()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
}

// TestLauncherKilled checks that nothing is left of a launcher that is killed. Its ranks are
// shells, which start the programs. As from a terminal, the whole process group of the launcher may
// be killed.
func TestLauncherKilled(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGHUP, syscall.SIGTERM} {
		for _, whom := range []int{1, -1} { // the launcher, or its group
			mark := fmt.Sprintf("89%d%d%d", s, whom+1, os.Getpid())
			cmd := startLauncher(t, mark)
			if err := syscall.Kill(whom*cmd.Process.Pid, s); err != nil {
				t.Error(err)
			}
			gone(t, mark)
			_ = cmd.Wait() // reports the signal
		}
	}
}

// TestInterrupt checks which signal the ranks get, on this host and on others.
func TestInterrupt(t *testing.T) {
	longtest.Third(t)
	const script = `trap 'echo got INT; exit 0' INT; trap 'echo got TERM; exit 0' TERM; echo ready; while :; do sleep 0.05; done`
	for _, c := range []struct {
		cause error
		want  string
	}{
		{&launch.SignalError{Signal: os.Interrupt}, "got INT"},
		{&launch.SignalError{Signal: syscall.SIGTERM}, "got TERM"},
		{context.Canceled, "got TERM"},
	} {
		for _, remote := range []bool{false, true} {
			job, out := onHosts(t, 2, "a,b", script)
			ctx, cancel := context.WithCancelCause(t.Context())
			ready := make(chan struct{})
			job.Stdout = &watcher{to: out, what: "ready", left: 2, seen: ready}
			job.Grace = 5 * time.Second
			go func() {
				<-ready
				cancel(c.cause)
			}()
			run := job.Job.Run
			if remote {
				run = job.Run
			}
			if err := run(ctx); err == nil || strings.Count(out.String(), c.want) != 2 {
				t.Errorf("%v, remote %t: %v; want %q twice: %s", c.cause, remote, err, c.want, out)
			}
		}
	}
}

// TestNotifyContext checks the causes of a context that a signal ends.
func TestNotifyContext(t *testing.T) {
	hearHangUp(t)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		ctx, stop := launch.NotifyContext(t.Context())
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
			if cause, want := context.Cause(ctx).Error(), s.String()+" signal received"; cause != want {
				t.Errorf("the cause is %q, want %q", cause, want)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%v does not end the context", s)
		}
		stop()
	}
}

// TestNoHangUp checks that a process which ignores SIGHUP, as under nohup, goes on ignoring it.
func TestNoHangUp(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	ctx, stop := launch.NotifyContext(t.Context())
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if ctx.Err() != nil {
		t.Fatal("SIGHUP ends the context: ", context.Cause(ctx))
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if cause := context.Cause(ctx).Error(); cause != "terminated signal received" {
		t.Errorf("the cause is %q, want that of SIGTERM", cause)
	}
}

// TestGrace checks that ranks on this host and on others may take their time to end.
func TestGrace(t *testing.T) {
	t.Parallel()
	const script = `trap 'sleep 2.5; echo ends; exit 0' TERM; echo ready; while :; do sleep 0.05; done`
	for _, remote := range []bool{false, true} {
		job, out := onHosts(t, 2, "a,b", script)
		ctx, cancel := context.WithCancel(t.Context())
		ready := make(chan struct{})
		job.Stdout = &watcher{to: out, what: "ready", left: 2, seen: ready}
		job.Grace = 20 * time.Second
		go func() {
			<-ready
			cancel()
		}()
		run := job.Job.Run
		if remote {
			run = job.Run
		}
		if err := run(ctx); !errors.Is(err, context.Canceled) || strings.Count(out.String(), "ends") != 2 {
			t.Errorf("remote %t: %v; want each of 2 ranks to end by itself: %s", remote, err, out)
		}
	}
}

// TestFirstFailed checks that the error names the rank that failed first, though it exits last.
func TestFirstFailed(t *testing.T) {
	for _, remote := range []bool{false, true} {
		job, out := onHosts(t, 4, "a,b", "")
		job.Argv = []string{os.Args[0], "rank", "100ms"}
		run := job.Job.Run
		if remote {
			run = job.Run
		}
		var exit *launch.ExitError
		if err := run(t.Context()); !errors.As(err, &exit) || exit.Rank != 1 || exit.Code != 1 || remote != strings.Contains(err.Error(), "on host a") {
			t.Errorf("remote %t: %v, want rank 1: %s", remote, err, out)
		}
	}
}

// TestLateOrigin checks that the job waits for the end of the rank that another names, and that it
// ends if that rank hangs. What a rank has printed here needs no other message; of one on another
// host the launcher says where it was.
func TestLateOrigin(t *testing.T) {
	longtest.Third(t)
	t.Parallel()
	for by, want := range map[string]string{"700ms": "exit status 1", "never": "it failed first, and then rank "} {
		for _, remote := range []bool{false, true} {
			job, out := onHosts(t, 4, "a,b", "")
			job.Argv = []string{os.Args[0], "rank", by}
			run := job.Job.Run
			if remote {
				run, want = job.Run, "on host a: "+want
			}
			want := "launch: rank 1: " + want
			err := run(t.Context())
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s, remote %t: %v, want %q: %s", by, remote, err, want, out)
			}
			var exit *launch.ExitError
			if printed := errors.As(err, &exit) && exit.Printed; printed != (by == "700ms" && !remote) {
				t.Errorf("%s, remote %t: printed %t", by, remote, printed)
			}
		}
	}
}
