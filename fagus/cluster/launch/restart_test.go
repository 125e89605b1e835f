//go:build linux

package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// again runs a script as 3 ranks, which are started again up to twice.
func again(t *testing.T, ctx context.Context, script string) (out, errs string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	job := launch.Job{Size: 3, Argv: []string{"sh", "-c", script}, Stdout: &stdout, Stderr: &stderr, Restart: 2, Resumes: func() string { return "from somewhere" }}
	err = job.Run(ctx)
	return stdout.String(), stderr.String(), err
}

// TestRestart checks which failures start a job again, and how often.
func TestRestart(t *testing.T) {
	for _, tt := range []struct {
		name, rank1 string // what rank 1 does
		attempts    int
		code        int // of the job
	}{
		{"killed once", "[ $FAGUS_ATTEMPT = 0 ] && kill -KILL $$; exit 0", 2, 0},
		{"killed twice", "[ $FAGUS_ATTEMPT = 2 ] || kill -SEGV $$", 3, 0},
		{"killed always", "kill -KILL $$", 3, 137},
		{"its command is killed", "[ $FAGUS_ATTEMPT = 0 ] || exit 0; exec 2>/dev/null; sh -c 'kill -KILL $$'; exit $?", 2, 0},
		{"then it fails", "[ $FAGUS_ATTEMPT = 0 ] && kill -KILL $$; exit 7", 2, 7},
		{"result is wrong", "exit 1", 1, 1},
		{"usage", "exit 2", 1, 2},
		{"environment", "exit 3", 1, 3},
		{"timeout", "exit 124", 1, 124},
		{"exit of -1", "exit 255", 1, 255},
		{"right", "exit 0", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// The other ranks would run on, and ignore a polite signal.
			script := fmt.Sprintf(`echo start $FAGUS_JOB $FAGUS_EPOCH; case $FAGUS_RANK in 1) %s;; esac; trap '' TERM; [ %d = $((FAGUS_ATTEMPT + 1)) ] || sleep 20`, tt.rank1, tt.attempts)
			begun := time.Now()
			out, errs, err := again(t, t.Context(), script)
			var exit *launch.ExitError
			switch {
			case tt.code == 0 && err != nil, tt.code != 0 && (!errors.As(err, &exit) || exit.Rank != 1 || exit.Code != tt.code):
				t.Errorf("%v: want code %d of rank 1", err, tt.code)
			case tt.code != 0 && strings.Contains(err.Error(), " (attempt ") != (tt.attempts > 1):
				t.Errorf("%v: want the number of the attempt if there were several", err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("took %v: the other ranks are not killed", took)
			}
			if got := strings.Count(errs, ": restarting, attempt "); got != tt.attempts-1 || strings.Count(errs, "\n") != got {
				t.Errorf("%d messages, want %d: %s", got, tt.attempts-1, errs)
			}
			if tt.attempts > 1 && (!strings.HasPrefix(errs, "fagus: rank 1: ") || !strings.Contains(errs, ": restarting, attempt 2 of 3, from somewhere\n")) {
				t.Errorf("stderr %q", errs)
			}
			var names []string // of jobs, with the epoch
			for line := range strings.Lines(out) {
				names = append(names, line[len("0: "):])
			}
			slices.Sort(names)
			names = slices.Compact(names)
			jobs := make(map[string]bool)
			for _, name := range names {
				jobs[strings.Fields(name)[1]] = true
			}
			if len(names) != tt.attempts || len(jobs) != tt.attempts {
				t.Errorf("the attempts are %q: want %d of different jobs and epochs", names, tt.attempts)
			}
		})
	}
}

// TestNoRestart checks that the end of the context ends a job, whichever attempt it is in.
func TestNoRestart(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var out shared
		second := make(chan struct{})
		job := launch.Job{
			Size: 2, Argv: []string{"sh", "-c", `[ $FAGUS_ATTEMPT = 1 ] || kill -KILL $$; echo second; sleep 20`}, Stdout: &watcher{to: &out, what: "second", left: 2, seen: second},
			Stderr: &out, Restart: 9,
		}
		go func() {
			<-second
			cancel(&launch.SignalError{Signal: signal})
		}()
		begun := time.Now()
		var got *launch.SignalError
		if err := job.Run(ctx); !errors.As(err, &got) || strings.Count(out.String(), "restarting") != 1 {
			t.Errorf("%v: %v: %s", signal, err, &out)
		}
		if took := time.Since(begun); took > 10*time.Second { // the ranks sleep for 20
			t.Errorf("took %v", took)
		}
	}
}

// TestStopping checks that no attempt follows when the job was told to stop.
func TestStopping(t *testing.T) {
	var out bytes.Buffer
	job := launch.Job{Size: 2, Argv: []string{"sh", "-c", `kill -TERM $$`}, Stdout: &out, Stderr: &out, Restart: 9}
	tries := 0
	job.Stopping = func() bool {
		tries++
		return tries == 2
	}
	var exit *launch.ExitError
	if err := job.Run(t.Context()); !errors.As(err, &exit) || !exit.Died || !strings.HasSuffix(err.Error(), "(attempt 2 of 10)") || strings.Count(out.String(), "restarting") != 1 {
		t.Errorf("%v: want the death of a rank in attempt 2: %s", err, &out)
	}
}

// TestRestartOfStopped checks that a job starts again if a rank is stopped for too long.
func TestRestartOfStopped(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	job := launch.Job{Size: 2, Argv: []string{"sh", "-c", `[ $FAGUS_ATTEMPT$FAGUS_RANK = 01 ] && kill -STOP $$; exit 0`}, Stdout: &out, Stderr: &out, Restart: 1, Spec: cluster.Spec{Stall: 3 * time.Second}}
	if err := job.Run(t.Context()); err != nil || strings.Count(out.String(), "it is stopped for 5 s") != 1 {
		t.Errorf("%v: %s", err, &out)
	}
}

// TestLostHost checks that a host whose agent is gone is left out, and that spare hosts or slots
// take its ranks, or there are fewer.
func TestLostHost(t *testing.T) {
	for _, tt := range []struct{ hosts, lost, want, says string }{
		// Host c is spare, and below host b has slots.
		{"a:2,b:2,c:2", "b", "a0 a1 c2 c3", "restarting without host b, attempt 2 of 2"},
		{"a,b", "a", "b0 b1 b2 b3", "restarting without host a, attempt"},
		{"a:2,b:1,c:1", "c", "a0 a1 b2", "restarting without host c on 3 of 4 ranks, attempt"},
		{"a:1,b:1,a:2", "a", "b0", "restarting without host a on 1 of 4 ranks, attempt"},
	} {
		t.Run(tt.hosts, func(t *testing.T) {
			t.Parallel()
			job, out := onHosts(t, 4, tt.hosts, fmt.Sprintf(`[ $FAGUS_ATTEMPT = 1 ] && echo "now $HOST$FAGUS_RANK" && exit; [ $HOST = %s ] && sleep 0.3 && kill -KILL $PPID; exec sleep 20`, tt.lost))
			job.Restart = 1
			if err := job.Run(t.Context()); err != nil || !strings.Contains(out.String(), tt.says) {
				t.Errorf("%v: want %q: %s", err, tt.says, out)
			}
			var got []string
			for line := range strings.Lines(out.String()) {
				if _, place, ok := strings.Cut(line, "now "); ok {
					got = append(got, place[:len(place)-1])
				}
			}
			if slices.Sort(got); strings.Join(got, " ") != tt.want {
				t.Errorf("the second attempt has ranks %s, want %s: %s", got, tt.want, out)
			}
		})
	}
}

// TestNoHostLeft checks that a job ends when its last host is lost, and that a host which does not
// answer at first is a mistake.
func TestNoHostLeft(t *testing.T) {
	job, out := onHosts(t, 2, "a", `kill -KILL $PPID; sleep 20`)
	job.Restart = 5
	if err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "host a: the agent") || strings.Contains(out.String(), "restarting") {
		t.Errorf("%v: %s", err, out)
	}
	job, out = onHosts(t, 2, "a,b", `sleep 20`)
	job.Restart, job.Agent = 5, []string{"false"}
	if err := job.Run(t.Context()); !errors.Is(err, os.ErrNotExist) || strings.Contains(out.String(), "restarting") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestHostsStayLost checks that a host which fails in the second attempt is left out of the third,
// also if it cannot be reached any more.
func TestHostsStayLost(t *testing.T) {
	job, out := onHosts(t, 3, "a,b,c", `[ $FAGUS_ATTEMPT = 2 ] && exit; [ $FAGUS_ATTEMPT$HOST = 0b ] && sleep 0.2 && kill -KILL $PPID; exec sleep 20`)
	marker := filepath.Join(t.TempDir(), "c was here")
	// The second time, the command that reaches c fails.
	job.Rsh = []string{"sh", "-c", `if [ $0 = c ]; then [ ! -e "` + marker + `" ] || exit 255; : >"` + marker + `"; fi; HOST=$0 exec "$@"`, "%h"}
	job.Restart = 2
	if err := job.Run(t.Context()); err != nil || strings.Count(out.String(), "restarting without host b, attempt 2 of 3") != 1 || strings.Count(out.String(), "restarting without host c, attempt 3 of 3") != 1 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestRemoteRestart checks that a rank that dies on a host starts the job again on all hosts, soon,
// though other ranks ignore polite signals.
func TestRemoteRestart(t *testing.T) {
	job, out := onHosts(t, 4, "a,b", `[ $FAGUS_ATTEMPT = 1 ] && echo "now $HOST" && exit; [ $FAGUS_RANK = 3 ] && kill -KILL $$; trap '' TERM; sleep 20; sleep 20`)
	job.Restart = 1
	job.Grace = 10 * time.Second
	begun := time.Now()
	err := job.Run(t.Context())
	if err != nil || strings.Count(out.String(), "now a") != 2 || strings.Count(out.String(), "now b") != 2 || strings.Contains(out.String(), "without") {
		t.Errorf("%v: %s", err, out)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestStoppedHost checks that a host which is silent is left out, and that nothing of it is heard
// when it goes on: its agent and its rank are stopped where the launcher cannot kill them.
func TestStoppedHost(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	notes := t.TempDir()
	job, out := onHosts(t, 2, "a,b", `cd `+notes+`
		case $HOST$FAGUS_ATTEMPT in
		b0) echo $PPID >agent; echo $$ >rank; kill -STOP $PPID; kill -STOP $$; echo zombie; exit 7;;
		a0) exec sleep 20;;
		*) [ $FAGUS_RANK = 1 ] || exit 0; kill -CONT $(cat rank); kill -CONT $(cat agent); sleep 0.5; echo alive; exit 0;;
		esac`)
	job.Rsh = []string{"setsid", "--wait", "env", "HOST=%h"}
	job.Restart, job.Spec.Stall = 1, 3*time.Second
	if err := job.Run(t.Context()); err != nil || !strings.Contains(out.String(), "sign of life for 3 s") || !strings.Contains(out.String(), "restarting without host b, attempt 2 of 2") ||
		!strings.Contains(out.String(), "1: alive") || strings.Contains(out.String(), "zombie") {
		t.Errorf("%v: %s", err, out)
	}
	for _, name := range []string{"rank", "agent"} {
		var pid int
		text, err := os.ReadFile(filepath.Join(notes, name))
		if err == nil {
			_, err = fmt.Sscan(string(text), &pid)
		}
		for begun := time.Now(); err == nil && syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > 10*time.Second {
				err = fmt.Errorf("the %s of the lost host is left", name)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestMemory checks that a folder in memory is removed at the end, and if its process is killed.
func TestMemory(t *testing.T) {
	m, err := launch.NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.Folder, "part"), []byte("x"), 0o600); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(m.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "memory")
	folder, err := cmd.Output()
	if err == nil || len(folder) == 0 {
		t.Fatalf("%q, %v: want a folder, and that the process is killed", folder, err)
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(string(folder)); errors.Is(err, os.ErrNotExist) {
			return
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("%s is left", folder)
		}
	}
}
