package fagus_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// TestLockReport: statistics, waits and timeline of ranks that wait for a lock.
func TestLockReport(t *testing.T) {
	for name, cfg := range locked() {
		cfg.Nodes, cfg.Timeline = 2, true
		held, asks := make(chan struct{}), make(chan struct{})
		report := succeed(t, cfg, func(n *fagus.Node) error {
			_, guards, err := counters(n, 3)
			if err != nil {
				return err
			}
			set := n.Set(fagus.Want(guards[1], fagus.Exclusive))
			if n.Rank() == 0 {
				err := tenure(n, set, func() {
					close(held)
					<-asks
					time.Sleep(20 * time.Millisecond)
				})
				return errors.Join(err, n.Barrier())
			}
			<-held
			close(asks)
			return errors.Join(touch(n, set), touch(n, n.Set(wantAll(guards, fagus.Shared)...)), n.Barrier())
		})
		for r, want := range []struct{ locks, waits uint64 }{{1, 0}, {4, 1}} {
			s := &report.Ranks[r]
			if s.Locks != want.locks || s.LockWaits != want.waits || s.Requests+s.Takes+s.Slots+s.Phases > 0 {
				t.Errorf("%s: rank %d acquired %d locks and waited for %d, want %+v; %+v", name, r, s.Locks, s.LockWaits, want, s)
			}
		}
		if m := report.Summary().Messages; m.Locks != 5 || m.LockWaits != 1 {
			t.Errorf("%s: the summary has %d locks and %d waits", name, m.Locks, m.LockWaits)
		}
		if text := report.String(); !strings.Contains(text, ", 5 variables acquired as locks (1 waited)") {
			t.Errorf("%s: the report does not have the locks:\n%s", name, text)
		}
		if len(report.Waits) != 1 {
			t.Fatalf("%s: waits %+v, want one", name, report.Waits)
		}
		w := report.Waits[0]
		if w.Rank != 1 || w.Variable != "lock 1" || w.Access != fagus.Exclusive || w.Holder != 0 || w.Times != 1 || w.Time < 10*fagus.Millisecond || !strings.Contains(w.Line, "helpers_test.go:") || !strings.Contains(w.HolderLine, "helpers_test.go:") {
			t.Errorf("%s: wait %+v", name, w)
		}
		waited := false
		for _, span := range report.Ranks[1].Spans {
			long := span.To-span.From > 10*fagus.Millisecond
			if span.Part == fagus.PartAcquire && long {
				waited = span.For == 0 && span.Until > span.From && span.Until <= span.To
			}
		}
		if !waited {
			t.Errorf("%s: no span of rank 1 says that it waited for rank 0: %+v", name, report.Ranks[1].Spans)
		}
		if report.Critical == nil || report.Critical[fagus.PartCompute] < 10*fagus.Millisecond {
			t.Errorf("%s: critical path %v, want one with the tenure of rank 0", name, report.Critical)
		}
	}
}

// TestLockRollCall: a roll-call says for which variable a rank waits, and who has it; and who makes
// no call after an Update.
func TestLockRollCall(t *testing.T) {
	for name, cfg := range locked() {
		for _, c := range []struct {
			want string
			body func(n *fagus.Node, set *fagus.SyncSet, held chan struct{}, over <-chan struct{}) error
		}{
			{`waits for a release by ranks [0]; rank 0 owns "v"`, func(n *fagus.Node, set *fagus.SyncSet, held chan struct{}, over <-chan struct{}) error {
				if n.Rank() == 1 {
					<-held
					return touch(n, set)
				}
				return tenure(n, set, func() { close(held); <-over })
			}},
			{"waits for the first call after an Update of ranks [0]", func(n *fagus.Node, set *fagus.SyncSet, held chan struct{}, over <-chan struct{}) error {
				if err := n.Update(); err != nil {
					return err
				}
				if n.Rank() == 1 {
					return touch(n, set)
				}
				<-over
				return nil
			}},
		} {
			rolls, over := make(chan string, 100), make(chan struct{})
			ended := make(chan error)
			cfg.Nodes = 2
			cfg.RollCall = fagus.RollCall{After: 50 * time.Millisecond, To: func(r fagus.Roll) { rolls <- r.String() }}
			go func() {
				held := make(chan struct{})
				_, err := runFor(t, cfg, func(n *fagus.Node) error {
					_, v, err := guarded[int64](n, 1)
					if err != nil {
						return err
					}
					return c.body(n, n.Set(fagus.Want(v, fagus.Exclusive)), held, over)
				})
				ended <- err
			}()
			if roll := <-rolls; !strings.Contains(roll, c.want) {
				t.Errorf("%s: the roll is\n%swant %s", name, roll, c.want)
			}
			close(over)
			if err := <-ended; err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if cfg.Placement == fagus.PlacePrivate {
				break // nobody waits after an Update: the ranks have copied what it brings
			}
		}
	}
}
