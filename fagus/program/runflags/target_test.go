package runflags

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/gossip"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// parse returns the Config of a command line that has the flags of Flags.
func parse(t *testing.T, args ...string) (Config, error) {
	t.Helper()
	t.Setenv("FAGUS_RANK", "")
	return parseWith(t, Flags(), FromFlags, args...)
}

func parseWith(t *testing.T, flags []cli.Flag, read func(*cli.Context) (Config, error), args ...string) (Config, error) {
	t.Helper()
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	for _, f := range flags {
		f.Apply(set)
	}
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return read(&cli.Context{Values: cli.Set{Of: set}, Context: t.Context(), App: &cli.App{Writer: io.Discard, ErrWriter: io.Discard,
		Metadata: map[string]any{DriversKey: []cluster.Driver{gossip.Driver{}, quic.Driver{}}}}})
}

// TestNetworks opens every network whose ranks are all in one process.
func TestNetworks(t *testing.T) {
	for _, n := range Networks() {
		cfg, err := parse(t, "--net", n.Name, "--nodes", "3")
		if err != nil {
			t.Errorf("%s: %v", n.Name, err)
			continue
		}
		if cfg.Launches() != n.Processes || (cfg.Env == "") == n.Simulated || cfg.Rank() != 0 {
			t.Errorf("%s: launches %v, env %q, rank %d", n.Name, cfg.Launches(), cfg.Env, cfg.Rank())
		}
		if n.Processes {
			continue
		}
		cfg.Timeline = true
		on, err := cfg.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ranks := 0
		report, err := on.Run(t.Context(), func(node *fagus.Node) error {
			if node.Rank() == 0 {
				ranks = node.Nodes()
			}
			return node.Barrier()
		})
		if err != nil || ranks != 3 || (report.Clock == dimmnet.Virtual) != n.Simulated || len(report.Ranks[0].Spans) == 0 {
			t.Errorf("%s: %d ranks, %s clock: %v", n.Name, ranks, report.Clock, err)
		}
		if err := on.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestFind: the error for a network that is not in a list names the networks of the list.
func TestFind(t *testing.T) {
	list := Named(Inproc, DIMMnet1)
	if got := list.String(); got != "dimmnet1 or inproc" {
		t.Errorf("list %q", got)
	}
	if n, err := list.Find(Inproc); err != nil || !n.OneMemory {
		t.Errorf("inproc is %+v, %v", n, err)
	}
	if _, err := list.Find(SHM); !usage.Is(err) || !strings.HasSuffix(err.Error(), "want dimmnet1 or inproc") {
		t.Errorf("shm: %v", err)
	}
}

// TestContradictions: flags that contradict each other are usage errors.
func TestContradictions(t *testing.T) {
	for _, args := range []string{
		"--nodes 0", "--net pigeon", "--net inproc --env A", "--mode threaded --transfer push", "--net udp100 --transfer push",
		"--notices", "--direct", "--placement shared", "--net inproc --placement shared --check", "--strict", "--loss 0.1", "--hosts a",
		"--timeout -1s", "--roll-call -1s", "--mode lightning",
	} {
		if _, err := parse(t, strings.Fields(args)...); !usage.Is(err) {
			t.Errorf("flags %s: error %v, want a usage error", args, err)
		}
	}
}
