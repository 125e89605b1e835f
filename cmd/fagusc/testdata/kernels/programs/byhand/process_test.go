package byhand

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// TestMain makes the test binary a rank of TestProcesses, if that has started it.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "rank" {
		if err := rank(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// rank compares all programs, as one process of several.
func rank(mode string) error {
	var cfg fagus.Config
	if err := cfg.Mode.UnmarshalText([]byte(mode)); err != nil {
		return err
	}
	_, err := cluster.Run(context.Background(), cfg, func(node *fagus.Node) error {
		region.Together(node)
		for _, p := range programsOf() {
			if _, err := p.compare(made, node, 16, 5); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
		fmt.Println("rank", node.Rank(), "compared", len(programsOf()), "programs")
		return nil
	})
	return err
}

// TestProcesses checks generated programs whose ranks are processes, with resident arrays in shared
// memory and with copies.
func TestProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the ranks of a host meet on Linux only")
	}
	for _, net := range []string{"shm", "tcp"} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			var out bytes.Buffer
			job := launch.Job{
				Size: 3, Argv: []string{os.Args[0], "rank", mode.String()},
				Env: append(cluster.WithoutPlace(os.Environ()), "FAGUS_NET="+net), Stdout: &out, Stderr: &out,
			}
			if err := job.Run(t.Context()); err != nil || strings.Count(out.String(), "compared 4 programs\n") != 3 {
				t.Errorf("%s, %v mode: %v: %s", net, mode, err, &out)
			}
		}
	}
}
