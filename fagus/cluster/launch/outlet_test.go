//go:build unix

package launch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// reader is a writer whose reader does not read before it is asked to.
type reader struct {
	asked chan struct{}
	mu    sync.Mutex
	got   bytes.Buffer
}

func newReader() *reader { return &reader{asked: make(chan struct{})} }

func (r *reader) Write(p []byte) (int, error) {
	<-r.asked
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got.Write(p)
}

func (r *reader) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got.String()
}

// TestOutlet checks that a write waits for its reader until the end, and then fails with the cause,
// as all later ones do. It does not keep its caller's bytes.
func TestOutlet(t *testing.T) {
	to := newReader()
	ctx, cancel := context.WithCancelCause(t.Context())
	ctx, out, errs := Outlets(ctx, to, io.Discard)
	text := []byte("line\n")
	failed := make(chan error)
	go func() {
		_, err := out.Write(text)
		copy(text, "ruin")
		failed <- err
	}()
	select {
	case err := <-failed:
		t.Fatal("nobody has read, and the write returns ", err)
	case <-time.After(2 * patience):
	}
	cause := errors.New("the show is over")
	cancel(cause)
	if err := <-failed; !errors.Is(err, cause) || !unread(err) {
		t.Errorf("%v, want %v", err, cause)
	}
	if n, err := out.Write(text); n != 0 || !errors.Is(err, cause) {
		t.Errorf("a later write: %d bytes, %v", n, err)
	}
	if _, err := errs.Write(text); err != nil {
		t.Error("somebody reads the other output: ", err)
	}
	close(to.asked)
	EndOutput(ctx, errors.New("another cause"))
	for begun := time.Now(); to.String() != "line\n"; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("the reader has got %q", to.String())
		}
	}
}

// TestOutletPieces checks that a pipe gets lines whole, and all of a long one.
func TestOutletPieces(t *testing.T) {
	var to pieces
	out := newOutlet(&to)
	lines := strings.Repeat(strings.Repeat("x", 99)+"\n", 100)
	long := strings.Repeat("y", atomicWrite+1)
	if n, err := out.Write([]byte(lines + long)); err != nil || n != len(lines)+len(long) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if strings.Join(to, "") != lines+long {
		t.Error("the text is another one")
	}
	for _, p := range to {
		if len(p) > atomicWrite || strings.HasPrefix(p, "x") && len(p)%100 != 0 {
			t.Errorf("a piece of %d bytes: %.20q", len(p), p)
		}
	}
}

type pieces []string

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, string(b))
	return len(b), nil
}

// TestUnreadDeath checks that the failure of a rank is reported though nobody reads what the others
// print, or the repetitions.
func TestUnreadDeath(t *testing.T) {
	to := newReader()
	defer close(to.asked)
	const script = `if [ $FAGUS_RANK = 1 ]; then kill -KILL $$; fi; exec yes`
	job := Job{Size: 2, Argv: []string{"sh", "-c", script}, Stdout: to, Stderr: to, ErrOnce: true}
	var exit *ExitError
	if err := job.Run(t.Context()); !errors.As(err, &exit) || exit.Rank != 1 || exit.Code != 137 {
		t.Errorf("%v, want the death of rank 1", err)
	}
}

// TestLateReader checks that nothing is lost or torn if the reader comes after the end of all
// ranks. Other processes keep the pipes open, on this host and on others.
func TestLateReader(t *testing.T) {
	t.Parallel()
	const lines = 30000 // more than pipes and windows hold
	for _, remote := range []bool{false, true} {
		to := newReader()
		job := Hosts{Job: Job{Size: 2, Argv: []string{"sh", "-c", "seq 30000; sleep 30 &"}, Stdout: to, Stderr: os.Stderr,
			Grace: 100 * time.Millisecond, Env: []string{"FAGUS_INTERFACE=lo"}},
			Rsh: []string{"env", "HOST=%h"}, Agent: []string{os.Args[0], "agent"}, Hosts: []Host{{Name: "a"}, {Name: "b"}}}
		time.AfterFunc(2*time.Second, func() { close(to.asked) })
		run := job.Job.Run
		if remote {
			run = job.Run
		}
		if err := run(t.Context()); err != nil {
			t.Fatal(err)
		}
		next := map[string]int{}
		for line := range strings.Lines(to.String()) {
			rank, number, _ := strings.Cut(line, ": ")
			if next[rank]++; strings.TrimSpace(number) != strconv.Itoa(next[rank]) {
				t.Fatalf("remote %t: line %q comes as number %d", remote, line, next[rank])
			}
		}
		if next["0"] != lines || next["1"] != lines {
			t.Errorf("remote %t: lines %v, want %d of each rank", remote, next, lines)
		}
	}
}
