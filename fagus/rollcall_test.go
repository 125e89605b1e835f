package fagus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// lasting matches durations in a roll.
var lasting = regexp.MustCompile(` for [0-9.]+ s`)

// rollOf runs a program that hangs, and requests rolls until one equals want or some seconds
// have passed: the ranks need time to reach the point at which they hang.
func (p stuck) rollOf(t *testing.T, net dimmnet.Network, mode fagus.Mode, want string) (got string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ask, rolls, over := make(chan os.Signal), make(chan fagus.Roll, 1), make(chan struct{})
	o := &outside{held: make(chan struct{}), never: make(chan struct{})}
	cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode, RollCall: fagus.RollCall{After: -1, Ask: ask, To: func(r fagus.Roll) { rolls <- r }}}
	go func() {
		defer close(over)
		_, err := fagus.Run(ctx, cfg, func(n *fagus.Node) error {
			s, err := newExhibit(n)
			if err != nil {
				return err
			}
			return p.body(n, s, o)
		})
		if err != nil {
			t.Errorf("%s: %v", p.title, err)
		}
	}()
	patience := 10 * time.Second
	if *update {
		patience = time.Second
	}
	for begun, alive := time.Now(), true; alive && (got == "" || got != want) && time.Since(begun) < patience; {
		time.Sleep(5 * time.Millisecond)
		select {
		case ask <- os.Interrupt:
			got = lasting.ReplaceAllString((<-rolls).String(), "")
		case <-over:
			alive = false
		}
	}
	close(o.never)
	<-over
	return got
}

// stuckSection returns the section of docs/reference/gallery.md about programs that hang.
func stuckSection(t *testing.T, want string) string {
	var b strings.Builder
	b.WriteString("\n# Roll-calls of programs that hang\n\nDurations are left out. The first report is from phase mode, the second from threaded mode.\n")
	listings := listPrograms(t, "stuck_test.go", "stuckPrograms", 1)
	for i, p := range stuckPrograms {
		fmt.Fprintf(&b, "\n## %s\n\n```go\n%s```\n", p.title, listings[i])
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			block := ""
			if _, after, ok := strings.Cut(want, "## "+p.title+"\n"); ok {
				if _, after, ok = strings.Cut(after, fmt.Sprintf("ranks in %v mode\n", mode)); ok {
					block, _, _ = strings.Cut(after, "```")
					block = fmt.Sprintf("roll-call of 2 ranks in %v mode\n%s", mode, block)
				}
			}
			fmt.Fprintf(&b, "\n```text\n%s```\n", p.rollOf(t, goroutines(), mode, block))
		}
	}
	return b.String()
}

// TestRollCallInVirtualTime: a rank that blocks outside the simulator stops the virtual clock
// of all ranks. The roll has its source line.
func TestRollCallInVirtualTime(t *testing.T) {
	want := "roll-call of 2 ranks in phase mode\nrank 0: in Barrier at fagus/stuck_test.go:26 (call 1): waits for nothing\nrank 1: has made no call yet at fagus/stuck_test.go:24\n"
	if got := stuckPrograms[0].rollOf(t, newSim(t, sim.Config{}), fagus.Phase, want); got != want {
		t.Errorf("the roll is\n%swant\n%s", got, want)
	}
}

// TestRollCallAfter: a roll-call is made when a rank has waited for RollCall.After, and the
// next one when it has waited twice as long.
func TestRollCallAfter(t *testing.T) {
	const after = 20 * time.Millisecond
	rolls := make(chan fagus.Roll, 100)
	never := make(chan struct{})
	cfg := fagus.Config{Nodes: 3, RollCall: fagus.RollCall{After: after, To: func(r fagus.Roll) { rolls <- r }}}
	failed := make(chan error, 1)
	go func() {
		_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
			if n.Rank() == 2 {
				<-never
			}
			return n.Barrier()
		})
		failed <- err
	}()
	for i := range 2 {
		r := <-rolls
		if r.Ranks[0].Call == "" || r.Ranks[0].For < time.Duration(i+1)*after {
			t.Errorf("roll %d: rank 0 does not wait long enough:\n%v", i, r)
		}
	}
	close(never)
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

// TestRollOfAFailure: the Report of a failed run says what every rank did when it failed.
func TestRollOfAFailure(t *testing.T) {
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{})}, func(n *fagus.Node) error {
		if n.Rank() == 1 {
			n.Spend(fagus.Second)
			return errors.New("no disk")
		}
		return n.Barrier()
	})
	if err == nil || !strings.Contains(err.Error(), "no disk") {
		t.Fatal(err)
	}
	want := "rank 0: in Barrier at fagus/rollcall_test.go:127 (call 1, phase 0): waits for the lists of ranks [1]\n"
	if got := lasting.ReplaceAllString(report.Roll.String(), ""); !strings.Contains(got, want) {
		t.Errorf("the roll is\n%swant\n%s", got, want)
	}
}

// TestRollOfTheEnd: ranks that compute when the context ends are not reported as returned,
// whether they call Node.Err or not.
func TestRollOfTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	first := make(chan struct{}) // closed by rank 1 when it computes after the Barrier
	report, err := fagus.Run(ctx, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		if err := n.Barrier(); err != nil {
			return err
		}
		switch n.Rank() {
		case 0:
			<-first
			cancel(errors.New("interrupted"))
			for n.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			return n.Err()
		case 1:
			close(first)
			<-ctx.Done()
			return ctx.Err()
		}
		return n.Barrier()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got := lasting.ReplaceAllString(report.Roll.String(), "")
	for _, want := range []string{
		"roll-call of 3 ranks in phase mode, as they were when the run was ended: interrupted\n",
		"rank 0: computes at fagus/rollcall_test.go:151, after call 1\n",
		"rank 1: computes",
		"rank 2: in Barrier at ", // the first Barrier or the second
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the roll is\n%swant\n%s", got, want)
		}
	}
}
