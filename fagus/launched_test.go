package fagus_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/internal/launchers"
)

// TestLaunchedWarning checks that Run logs a warning in a process that a launcher started as
// one of several ranks, unless Config.Net selects the network.
func TestLaunchedWarning(t *testing.T) {
	for _, l := range launchers.All() {
		t.Setenv(l.Rank, "") // a launcher may have started the test itself
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
		logged := b.String()
		if warned := strings.Contains(logged, "call cluster.Run") && strings.Contains(logged, "variable=PMI_RANK rank=3"); warned != c.warns || logged != "" && !c.warns {
			t.Errorf("%+v: Run logged %q", c, logged)
		}
	}
}
