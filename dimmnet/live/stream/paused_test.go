package stream

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// beating implements Beats. Receive calls turn, in which the test acts for the peers and the host.
type beating struct {
	turn  func()
	heard [3]uint64
}

func (b *beating) Send()                          {}
func (b *beating) Receive()                       { b.turn() }
func (b *beating) Heard(rank dimmnet.Rank) uint64 { return b.heard[rank] }
func (b *beating) Close()                         {}

// watchUntil runs the watch of rank 0 of three until the run fails, and returns the failure. It
// calls turn in each turn of the watch.
func watchUntil(t *testing.T, stall time.Duration, turn func(b *beating, in []*pipe)) error {
	t.Helper()
	w, _, in := newWatch(3)
	n := w.node
	b := new(beating)
	b.turn = func() { turn(b, in) }
	n.beats, n.shared.cfg.Stall = b, stall
	defer n.watch()()
	select {
	case <-n.fault.reported:
	case <-time.After(time.Hour):
		t.Fatal("the run has not failed")
	}
	return n.fault.err
}

// TestStopped: a process was stopped, and later a peer ends that gave no sign of life since. The
// process then reports that it was stopped, although beats from before the pause have arrived.
func TestStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stall, pause = 10 * time.Second, 8 * time.Second
		begun := time.Now()
		stopped := false
		err := watchUntil(t, stall, func(b *beating, in []*pipe) {
			switch at := time.Since(begun); {
			case at < stall:
				b.heard[1]++
				b.heard[2]++
			case !stopped:
				stopped = true
				time.Sleep(pause)
				b.heard[1]++ // a beat from before the pause
			case at > stall+pause+time.Second:
				in[1].end()
			}
		})
		wantError(t, err, "rank 0 was stopped for 8", "rank 1 has ended")
	})
}

// TestStoppedLong checks that a pause of this process does not count as silence of a peer: the
// silence of a peer that ends during the pause counts from the end of the pause.
func TestStoppedLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stall, pause = time.Second, 30 * time.Second
		begun, stopped := time.Now(), time.Time{}
		err := watchUntil(t, stall, func(b *beating, _ []*pipe) {
			b.heard[2]++
			switch at := time.Since(begun); {
			case at < stall:
				b.heard[1]++
			case at >= stall+2*checkTime && stopped.IsZero(): // all beats have been counted
				stopped = time.Now()
				time.Sleep(pause)
			}
		})
		since := time.Since(stopped) - pause
		_, text, _ := strings.Cut(fmt.Sprint(err), "no sign of life for ")
		text, _, _ = strings.Cut(text, ":")
		silent, bad := time.ParseDuration(text)
		if bad != nil || silent > since+5*checkTime {
			t.Errorf("%v after the pause, the run fails with %v: want at most that silence of rank 1", since, err)
		}
	})
}
