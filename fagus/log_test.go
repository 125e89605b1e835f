package fagus_test

import (
	"bytes"
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
	for _, want := range []string{"msg=checkpoint rank=0 number=1 err=<nil>", "msg=resumed rank=0 number=1", "msg=failed rank=0 err="} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no record %q in\n%s", want, &b)
		}
	}
}
