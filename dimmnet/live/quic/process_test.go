//go:build linux

package quic_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

func TestMain(m *testing.M) {
	if meshtest.IsChild() {
		os.Exit(meshtest.Child(func(_ *meshtest.Order, cfg mesh.Config, m dimmnet.Member) dimmnet.Network { return quic.Join(cfg, m) }))
	}
	goleak.VerifyTestMain(m)
}

// TestProcesses checks that all ranks reach the end of a run.
func TestProcesses(t *testing.T) {
	meshtest.WantEnd(t, meshtest.StartJob(t, []meshtest.Order{{Rounds: 200}, {Rounds: 200}, {Rounds: 200}}, nil))
}

// TestLost checks that all other ranks, even one that computes, name a process that is killed.
func TestLost(t *testing.T) {
	t.Parallel()
	all := meshtest.StartJob(t, []meshtest.Order{{}, {}, {Compute: true}}, nil)
	all[1].Signal(t, syscall.SIGKILL)
	for _, p := range []*meshtest.Process{all[0], all[2]} {
		if r := p.Next(t); !strings.Contains(r.Error, "rank 1") {
			t.Errorf("rank %d: %+v, want an error that names rank 1", p.Rank, r)
		}
	}
}

// TestStops checks that no rank is lost while eight ranks share the processors, and some of them
// are stopped for a second, one after the other.
func TestStops(t *testing.T) {
	t.Parallel()
	orders := make([]meshtest.Order, 8)
	orders[3].Compute = true
	meshtest.Pauses(t, meshtest.StartJob(t, orders, nil), []int{0, 3, 5, 7}[:longtest.Cases(4, 2)])
}

// TestGivenUp stops a process. All other ranks must name it, even one that computes. The test also
// checks which rank the process blames when it goes on.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	meshtest.GivenUp(t, meshtest.StartJob(t, []meshtest.Order{{}, {}, {Compute: true}}, nil), 1)
}
