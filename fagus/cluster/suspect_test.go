package cluster

import (
	"errors"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// mute is a conn to a process that answers nothing.
type mute struct{ conn }

func (mute) send(message) error               { return nil }
func (mute) SetWriteDeadline(time.Time) error { return nil }

// TestOldPong checks that the answer to an earlier ping does not count for a rank that is stopped.
func TestOldPong(t *testing.T) {
	for _, old := range []bool{false, true} {
		m := &member{}
		m.begin(Place{Size: 3, Job: "a"}, nil, hello{})
		m.configure(2*pingTick, reach.Ports{})
		p := newPeer(mute{}, 2, "pid 7", assembler{})
		if old {
			p.pong <- struct{}{}
		}
		if m.ping(p) {
			t.Errorf("old pong %t: a rank that does not answer counts as alive", old)
		}
		m.notices.Wait()
		var f *Failed
		if err := m.failure(); !errors.As(err, &f) || f.Rank != 2 {
			t.Errorf("old pong %t: the job fails with %v, want rank 2 to be lost", old, err)
		}
	}
}
