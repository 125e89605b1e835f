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
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// lasting is how long a rank does a thing, in a roll.
var lasting = regexp.MustCompile(` for [0-9.]+ s`)

// rollOf runs a program that is stuck, and asks for rolls until one is as it is
// wanted, or for some seconds: the ranks must come to where they stay.
func (p stuck) rollOf(t *testing.T, net dimmnet.Network, mode fagus.Engine, want string) (said string) {
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
	for begun, alive := time.Now(), true; alive && (said == "" || said != want) && time.Since(begun) < patience; {
		time.Sleep(5 * time.Millisecond)
		select {
		case ask <- os.Interrupt:
			said = lasting.ReplaceAllString((<-rolls).String(), "")
		case <-over:
			alive = false
		}
	}
	close(o.never)
	<-over
	return said
}

// stuckSection is the part of docs/gallery.md about programs that hang.
func stuckSection(t *testing.T, want string) string {
	var b strings.Builder
	b.WriteString("\n# What a roll-call says about programs that hang\n\nTimes are left out here. First phase mode, then threaded mode.\n")
	listings := listPrograms(t, "stuck_test.go", "stuckPrograms", 1)
	for i, p := range stuckPrograms {
		fmt.Fprintf(&b, "\n## %s\n\n```go\n%s```\n", p.title, listings[i])
		for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
			block := ""
			if _, after, ok := strings.Cut(want, "## "+p.title+"\n"); ok {
				if _, after, ok = strings.Cut(after, fmt.Sprintf("ranks in %v mode\n", mode)); ok {
					block, _, _ = strings.Cut(after, "```")
					block = fmt.Sprintf("roll-call of 2 ranks in %v mode\n%s", mode, block)
				}
			}
			fmt.Fprintf(&b, "\n```text\n%s```\n", p.rollOf(t, inproc.New(inproc.Config{}), mode, block))
		}
	}
	return b.String()
}

// TestRollCallInVirtualTime: a rank that blocks for real stops the clock of all; the
// roll has its line.
func TestRollCallInVirtualTime(t *testing.T) {
	want := "roll-call of 2 ranks in phase mode\nrank 0: in Barrier at fagus/stuck_test.go:26 (call 1): waits for nothing\nrank 1: has made no call yet at fagus/stuck_test.go:24\n"
	if said := stuckPrograms[0].rollOf(t, newSim(t, sim.Config{}), fagus.Phase, want); said != want {
		t.Errorf("%swant\n%s", said, want)
	}
}

// TestRollCallAfter: a roll is made without being asked for, and what it says of a rank
// comes true. The next one waits for twice as long.
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
			t.Errorf("roll %d: %v", i, r)
		}
	}
	close(never)
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

// TestRollOfAFailure: the report of a run that fails says what every rank did then.
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
	want := "rank 0: in Barrier at fagus/rollcall_test.go:128 (call 1, phase 0): waits for the lists of ranks [1]\n"
	if said := lasting.ReplaceAllString(report.Roll.String(), ""); !strings.Contains(said, want) {
		t.Errorf("%swant\n%s", said, want)
	}
}

// TestRollOfTheEnd: ranks that compute when the context ends are not said to have returned,
// whether they ask for it or not.
func TestRollOfTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	first := make(chan struct{}) // closed by rank 1 when it computes
	report, err := fagus.Run(ctx, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		if err := n.Barrier(); err != nil {
			return err
		}
		switch n.Rank() {
		case 0:
			<-first
			cancel(errors.New("enough of it"))
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
	said := lasting.ReplaceAllString(report.Roll.String(), "")
	for _, want := range []string{
		"roll-call of 3 ranks in phase mode, as they were when the run was ended: enough of it\n",
		"rank 0: computes at fagus/rollcall_test.go:152, after call 1\n",
		"rank 1: computes",
		"rank 2: in Barrier at ", // the first, or the second
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%swant\n%s", said, want)
		}
	}
}
