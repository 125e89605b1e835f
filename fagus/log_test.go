package fagus_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// TestLogCheckpoints checks the records of checkpoints and of a failure.
func TestLogCheckpoints(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	dir := t.TempDir()
	for range 2 {
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		keeper := checkpoint.New(checkpoint.Config{Store: store})
		_, _ = fagus.Run(t.Context(), fagus.Config{Nodes: 1, Checkpoints: keeper, Log: log}, func(n *fagus.Node) error {
			fagus.NewGuarded[byte](n, "a", 1)
			n.Resume()
			for range n.Steps(2) {
			}
			return n.Release(nil)
		})
		keeper.Close()
	}
	for _, want := range []string{"msg=checkpoint rank=0 phases=4 number=1 err=<nil>", "msg=resumed rank=0 phases=3 number=1", "msg=failed rank=0 phases=3 err="} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no record %q in\n%s", want, &b)
		}
	}
}

// TestProgramLog: what a program logs says its rank and, in Phase mode, how many phases it has been
// through, also with attributes of a logger.
func TestProgramLog(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		var b bytes.Buffer
		log := slog.New(slog.NewTextHandler(&b, nil))
		_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Mode: mode, Log: log}, func(n *fagus.Node) error {
			log := n.Log().With("part", "solver")
			for i := range 3 {
				if err := n.Barrier(); err != nil {
					return err
				}
				if n.Rank() == 1 {
					log.Info("step", "i", i)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			phases := map[fagus.Mode]string{fagus.Phase: fmt.Sprintf("phases=%d ", i+1)}[mode]
			if want := fmt.Sprintf("level=INFO msg=step part=solver rank=1 %si=%d\n", phases, i); !strings.Contains(b.String(), want) {
				t.Errorf("%v mode: no record %q in\n%s", mode, want, &b)
			}
		}
	}
}

// TestProgramLogGroups: rank and phases are in no group of the program's, and loggers that come
// from the same one do not mix.
func TestProgramLogGroups(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, nil))
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Log: log}, func(n *fagus.Node) error {
		log := n.Log().With("part", "solver").WithGroup("a")
		one, other := log.With("x", 1), log.WithGroup("b").With("x", 2)
		if err := n.Barrier(); err != nil {
			return err
		}
		log.Info("step", "i", 0)
		one.Info("step", "i", 1)
		other.Info("step", "i", 2)
		n.Log().WithGroup("").Info("step", "i", 3)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"part=solver rank=0 phases=1 a.i=0\n", "part=solver rank=0 phases=1 a.x=1 a.i=1\n", "part=solver rank=0 phases=1 a.b.x=2 a.b.i=2\n", "msg=step rank=0 phases=1 i=3\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no record %q in\n%s", want, &b)
		}
	}
}
