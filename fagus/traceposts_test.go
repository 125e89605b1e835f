package fagus_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// TestTraceOfPosts: the calls of a rank have posted no more than the rank, and not nothing.
func TestTraceOfPosts(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		tr := trace.New()
		report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Mode: mode, Trace: tr, Placement: fagus.PlacePrivate}, traced)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range tr.Ranks {
			posts, bytes := uint64(0), uint64(0)
			for _, e := range r.Events {
				if e.Kind == trace.Called {
					posts, bytes = posts+uint64(e.Posts), bytes+e.Bytes
				}
			}
			all := report.Ranks[i].Messages()
			if most := all.Stores + all.Writes + all.Pushes; posts == 0 || posts > most || bytes > all.Bytes {
				t.Errorf("%v mode: the calls of rank %d have posted %d times and %d bytes, the rank %d times and %d bytes", mode, i, posts, bytes, most, all.Bytes)
			}
		}
	}
}

// TestTraceOfCheckpoints: a trace has the checkpoints that were made, and the one from which the
// run resumes.
func TestTraceOfCheckpoints(t *testing.T) {
	dir := t.TempDir()
	for again := range 2 {
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		keeper := checkpoint.New(checkpoint.Config{Store: store})
		tr := trace.New()
		_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 1, Checkpoints: keeper, Trace: tr}, func(n *fagus.Node) error {
			fagus.NewGuarded[byte](n, "a", 1)
			n.Resume()
			for range n.Steps(3) {
			}
			return n.Err()
		})
		keeper.Close()
		if err != nil {
			t.Fatal(err)
		}
		saved, resumed := 0, uint64(0)
		for _, e := range tr.Ranks[0].Events {
			switch e.Kind {
			case trace.Saved:
				saved++
			case trace.Resumed:
				resumed = e.Number
			}
		}
		if again == 0 && (saved == 0 || resumed != 0) || again == 1 && (saved != 0 || resumed == 0) {
			t.Errorf("run %d has saved %d checkpoints, and resumed from %d", again, saved, resumed)
		}
	}
}
