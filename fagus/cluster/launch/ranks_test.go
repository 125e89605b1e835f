//go:build linux

package launch_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// TestEverySignal checks that each of several signals reaches every rank, on this host and others.
func TestEverySignal(t *testing.T) {
	const script = `trap 'echo one' USR1; trap 'echo two; exit 0' USR2; echo ready; while :; do sleep 0.02; done`
	for _, remote := range []bool{false, true} {
		job, out := onHosts(t, 4, "a,b", script)
		signals := make(chan os.Signal)
		job.Signals = signals
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		ready, first := make(chan struct{}), make(chan struct{})
		job.Stdout = &watcher{to: &watcher{to: out, what: "one", left: 4, seen: first}, what: "ready", left: 4, seen: ready}
		go func() {
			for i, after := range []chan struct{}{ready, first} {
				select {
				case <-after:
				case <-ctx.Done():
					return
				}
				select {
				case signals <- []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}[i]:
				case <-ctx.Done():
				}
			}
		}()
		run := job.Job.Run
		if remote {
			run = job.Run
		}
		err := run(ctx)
		if text := out.String(); err != nil || strings.Count(text, "one") != 4 || strings.Count(text, "two") != 4 {
			t.Errorf("remote %t: %v; want one and two from each of 4 ranks: %s", remote, err, out)
		}
	}
}

// TestStdin checks that rank 0 gets the standard input, and no other rank.
func TestStdin(t *testing.T) {
	var out bytes.Buffer
	job := launch.Job{
		Size: 3, Argv: []string{"sh", "-c", `read x; echo "<$x>"`}, Stdin: strings.NewReader("hello\n"),
		Stdout: &out, Stderr: io.Discard,
	}
	if err := job.Run(t.Context()); err != nil {
		t.Error(err)
	}
	for rank, want := range []string{"<hello>", "<>", "<>"} {
		if line := fmt.Sprintf("%d: %s\n", rank, want); !strings.Contains(out.String(), line) {
			t.Errorf("rank %d: want %q in %s", rank, line, &out)
		}
	}
}

// single is a writer that may be used by one goroutine at a time, and takes its time.
type single struct {
	busy  atomic.Bool
	mixed atomic.Int32 // number of calls during another
	lines atomic.Int32
}

func (s *single) Write(p []byte) (int, error) {
	if s.busy.Swap(true) {
		s.mixed.Add(1)
	}
	time.Sleep(time.Millisecond)
	s.lines.Add(int32(bytes.Count(p, []byte("\n"))))
	s.busy.Store(false)
	return len(p), nil
}

// TestOneWriter checks that no two ranks write their output at the same time, with or without the
// rank on each line.
func TestOneWriter(t *testing.T) {
	const size, lines = 3, 30
	for _, plain := range []bool{false, true} {
		to := &single{}
		script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do echo $i; echo $i >&2; i=$((i+1)); done", lines)
		job := launch.Job{
			Size: size, Argv: []string{"sh", "-c", script}, Stdout: to, Stderr: to,
			PlainOut: plain, PlainErr: plain,
		}
		if err := job.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if mixed, got := to.mixed.Load(), to.lines.Load(); mixed > 0 || got != 2*size*lines {
			t.Errorf("plain %t: %d calls during another, and %d lines; want none, and %d", plain, mixed, got, 2*size*lines)
		}
	}
}

// TestGroupEnds checks that the processes which a rank has started are asked to end, too.
func TestGroupEnds(t *testing.T) {
	const child = `trap "echo child ends; exit 0" TERM; echo ready; while :; do sleep 0.02; done`
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready := make(chan struct{})
	var out bytes.Buffer
	job := launch.Job{
		Size: 2, Argv: []string{"sh", "-c", "trap : TERM; sh -c '" + child + "' & wait; wait"},
		Stdout: &watcher{to: &out, what: "ready", left: 2, seen: ready}, Stderr: io.Discard,
		Grace: 5 * time.Second,
	}
	go func() {
		<-ready
		cancel()
	}()
	begun := time.Now()
	if err := job.Run(ctx); err == nil || strings.Count(out.String(), "child ends") != 2 {
		t.Errorf("after %v: %v; want the children of 2 ranks to end: %s", time.Since(begun), err, &out)
	}
}
