package fagus_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestLaunchedWarning: a process that a launcher has started as one of several ranks, and
// that runs all of them, says so, unless it was told which network to use.
func TestLaunchedWarning(t *testing.T) {
	for _, name := range []string{"FAGUS_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "FLUX_TASK_RANK", "SLURM_PROCID"} {
		t.Setenv(name, "") // the test may itself be a rank's
	}
	for _, c := range []struct {
		rank, size string
		net        dimmnet.Network
		warns      bool
	}{
		{},
		{rank: "3", size: "4", warns: true},
		{rank: "0", size: "1"},
		{rank: "3"},
		{rank: "3", size: "4", net: inproc.New(inproc.Config{})},
	} {
		t.Setenv("PMI_RANK", c.rank)
		t.Setenv("PMI_SIZE", c.size)
		var b bytes.Buffer
		cfg := fagus.Config{Nodes: 2, Net: c.net, Log: slog.New(slog.NewTextHandler(&b, nil))}
		if _, err := fagus.Run(t.Context(), cfg, func(*fagus.Node) error { return nil }); err != nil {
			t.Fatal(err)
		}
		said := b.String()
		if warned := strings.Contains(said, "call cluster.Run") && strings.Contains(said, "variable=PMI_RANK rank=3"); warned != c.warns || said != "" && !c.warns {
			t.Errorf("%+v: %q", c, said)
		}
	}
}
