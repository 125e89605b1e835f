//go:build linux

package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// onHosts returns a job that runs a shell script on the named hosts: all are this host.
func onHosts(t *testing.T, size int, names, script string) (*launch.Hosts, *shared) {
	t.Helper()
	hosts, err := launch.ParseHosts(names)
	if err != nil {
		t.Fatal(err)
	}
	out := new(shared)
	return &launch.Hosts{
		Job:   launch.Job{Size: size, Argv: []string{"sh", "-c", script}, Env: []string{"FAGUS_INTERFACE=lo"}, Stdout: out, Stderr: out, Grace: 500 * time.Millisecond},
		Hosts: hosts, Rsh: []string{"env", "HOST=%h"}, Agent: []string{os.Args[0], "agent"},
	}, out
}

func TestParseHosts(t *testing.T) {
	got, err := launch.ParseHosts("a, b:3,c.d,[fd77::1], [::1]:2")
	if want := []launch.Host{{Name: "a"}, {Name: "b", Slots: 3}, {Name: "c.d"}, {Name: "fd77::1"}, {Name: "::1", Slots: 2}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"", "a,", "a:0", "a:x", "a:-1", "-oProxyCommand=x", ":3", "[::1]2", "[]", "[::1]:0", "a:4097", "a:999999999999", "a,,b", "a b"} {
		if got, err := launch.ParseHosts(bad); err == nil {
			t.Errorf("ParseHosts(%q) = %v, want an error", bad, got)
		}
	}
}

// TestBytes checks that arguments, variables and the working directory reach ranks on hosts as they
// are, though they are not UTF-8, and though the agent's path needs quotes.
func TestBytes(t *testing.T) {
	const raw = "K\xf6ln $(x) 'q' \n"
	folder := filepath.Join(t.TempDir(), raw)
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Args[0], filepath.Join(folder, "agent")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	job, out := onHosts(t, 2, "a,b", `[ "$0" = "$WANT" ] && [ "${PWD##*/}" = "$WANT" ] && echo same`)
	job.Argv, job.Env = append(job.Argv, raw), append(job.Env, "WANT="+raw)
	job.Agent = []string{filepath.Join(folder, "agent"), "agent"}
	job.Rsh = []string{"sh", "-c", `shift; exec sh -c "$*"`, "sh", "%h"} // as ssh does
	if err := job.Run(t.Context()); err != nil || strings.Count(out.String(), "same") != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPlaces checks that hosts are filled in order and that all ranks get the same rendezvous.
func TestPlaces(t *testing.T) {
	for names, want := range map[string]string{
		"a,b":       "a 0,a 1,a 2,b 3,b 4",
		"a,b:1,c":   "a 0,a 1,b 2,c 3,c 4",
		"a:1,b:9,c": "a 0,b 1,b 2,b 3,b 4",
	} {
		job, out := onHosts(t, 5, names, `echo "$HOST $FAGUS_RANK $FAGUS_SIZE $FAGUS_RENDEZVOUS"`)
		if err := job.Run(t.Context()); err != nil {
			t.Fatalf("%s: %v: %s", names, err, out)
		}
		meet := make(map[string]bool)
		for i, w := range strings.Split(want, ",") {
			if !strings.Contains(out.String(), fmt.Sprintf("%d: %s 5 127.0.0.1:", i, w)) {
				t.Errorf("%s: rank %d is not at %s: %s", names, i, w, out)
			}
		}
		for line := range strings.Lines(out.String()) {
			meet[line[strings.LastIndexByte(line, ' '):]] = true
		}
		if len(meet) != 1 {
			t.Errorf("%s: the ranks meet at %v", names, meet)
		}
	}
}

// TestRemoteFailure checks that the first rank that fails ends the ranks on all hosts.
func TestRemoteFailure(t *testing.T) {
	for script, code := range map[string]int{
		`[ $FAGUS_RANK = 2 ] && exit 7; exec sleep 50`:                    7,
		`[ $FAGUS_RANK = 2 ] && kill -KILL $$; exec sleep 50`:             137,
		`trap '' TERM; [ $FAGUS_RANK = 2 ] && exit 7; sleep 50; sleep 50`: 7, // ignores SIGTERM
	} {
		begun := time.Now()
		job, out := onHosts(t, 4, "a,b", script)
		err := job.Run(t.Context())
		var exit *launch.ExitError
		if !errors.As(err, &exit) || exit.Rank != 2 || exit.Code != code || !strings.Contains(err.Error(), "on host b") {
			t.Errorf("%s: %v: want code %d of rank 2: %s", script, err, code, out)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: took %v", script, took)
		}
	}
}

// TestAgentKilled checks that the kernel ends the ranks of an agent that is killed, and that the
// launcher names the agent's host.
func TestAgentKilled(t *testing.T) {
	mark := fmt.Sprintf("87%d", os.Getpid())
	job, _ := onHosts(t, 2, "a,b", `[ $FAGUS_RANK = 1 ] && sleep 0.2 && kill -KILL $PPID; exec sleep `+mark)
	err := job.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "host b: the agent") || !strings.HasSuffix(err.Error(), "signal: killed") || strings.Contains(err.Error(), "login shell") {
		t.Errorf("%v", err)
	}
	gone(t, mark)
}

// TestHangUp checks that the end of an agent's input ends its ranks.
func TestHangUp(t *testing.T) {
	mark := fmt.Sprintf("88%d", os.Getpid())
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	job, _ := onHosts(t, 4, "a,b", "sleep "+mark)
	if err := job.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	gone(t, mark)
}

// TestRemoteSignals checks that signals are forwarded to all ranks.
func TestRemoteSignals(t *testing.T) {
	job, out := onHosts(t, 3, "a,b,c", `trap 'echo got it; exit 0' QUIT; echo ready; while :; do sleep 0.05; done`)
	signals := make(chan os.Signal)
	job.Signals = signals
	ready := make(chan struct{})
	job.Stdout = &watcher{to: out, what: "ready", left: 3, seen: ready}
	go func() {
		<-ready
		signals <- syscall.SIGQUIT
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := job.Run(ctx); err != nil || strings.Count(out.String(), "got it") != 3 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestEarlySignal checks that ranks on hosts meet though a signal has come before them.
func TestEarlySignal(t *testing.T) {
	job, out := onHosts(t, 2, "a,b", `[ "$FAGUS_RENDEZVOUS" ] && echo met`)
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGCONT
	job.Signals = signals
	throughShell(job, "sleep 0.2")
	if err := job.Run(t.Context()); err != nil || strings.Count(out.String(), "met") != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

// shared is a buffer that several goroutines write: a job may have it behind two writers.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// watcher is a writer that reports when a text has been written a given number of times.
type watcher struct {
	to   io.Writer
	what string
	left int
	seen chan struct{}
}

func (w *watcher) Write(p []byte) (int, error) {
	for range strings.Count(string(p), w.what) {
		if w.left--; w.left == 0 {
			close(w.seen)
		}
	}
	return w.to.Write(p)
}

// TestCheck checks that a job that no host can run is refused before any agent starts.
func TestCheck(t *testing.T) {
	for size, says := range map[int]string{0: "0 ranks: want 1 to", 5: "no slots for 3 of 5 ranks", 2: ""} {
		job, _ := onHosts(t, size, "b:1,c:1", "true")
		if err := job.Check(); says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%d ranks: %v, want %q", size, err, says)
		}
	}
}

// TestBadHosts checks that an error on a host names the host.
func TestBadHosts(t *testing.T) {
	// Words that need quotes would need a shell on the host, which env does not start.
	dies := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(dies, []byte("#!/bin/sh\nkill $$\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*launch.Hosts){
		"(the program must be on each host, at the same path)": func(j *launch.Hosts) { j.Argv = []string{"fagus-no-such-program"} },
		"fagus-no-such-rsh":               func(j *launch.Hosts) { j.Rsh = []string{"fagus-no-such-rsh"} },
		"reading the output of its agent": func(j *launch.Hosts) { j.Agent = []string{"echo", "hello"} },
		"signal: terminated":              func(j *launch.Hosts) { j.Agent = []string{dies} },
		"no slots for 3":                  func(j *launch.Hosts) { j.Size = 5 },
		"want 1 to":                       func(j *launch.Hosts) { j.Size = 0 },
		"no program to run":               func(j *launch.Hosts) { j.Argv = nil },
		"FAGUS_INTERFACE=nosuch":          func(j *launch.Hosts) { j.Env = []string{"FAGUS_INTERFACE=nosuch"} },
	} {
		job, out := onHosts(t, 2, "b:1,c:1", "sleep 20")
		change(job)
		if err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s: %s", err, says, out)
		} else if missing := slices.ContainsFunc([]string{"program must be on", "reading the output", "FAGUS_INTERFACE"}, func(s string) bool { return strings.Contains(says, s) }); missing != errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v: is an os.ErrNotExist: %v", err, !missing)
		}
	}
}
