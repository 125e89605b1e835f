package quic

import (
	"errors"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
)

// TestGone checks that a run ends soon when the cluster reports the end of a rank's process,
// though the rank's connection does not end.
func TestGone(t *testing.T) {
	lost := make(chan func(dimmnet.Rank, error), 1)
	v := newVictimWith(t, lost, meshtest.Untouched)
	_ = v.join(t)
	begun := time.Now()
	(<-lost)(1, errors.New("it was killed"))
	if err := meshtest.Result(t, v.result); err == nil {
		t.Error("Run returned nil, want an error")
	}
	if took := time.Since(begun); took > 600*time.Millisecond {
		t.Errorf("the run has ended after %v", took)
	}
}
