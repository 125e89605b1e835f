//go:build ofi && linux && cgo

package ofi_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

func TestMain(m *testing.M) {
	if meshtest.IsChild() {
		os.Exit(meshtest.Child(func(o *meshtest.Order, cfg mesh.Config, m dimmnet.Member) dimmnet.Network {
			return ofi.Join(ofi.Config{Mesh: cfg, Provider: o.Provider}, m)
		}))
	}
	goleak.VerifyTestMain(m)
}

// processes runs a test in parallel for each of the providers whose ranks may be the processes of a
// job.
func processes(t *testing.T, test func(t *testing.T, provider string)) {
	for _, p := range []string{"tcp;ofi_rxm", "net", "shm"} {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// job starts a job of processes that use a provider.
func job(t *testing.T, provider string, orders ...meshtest.Order) []*meshtest.Process {
	t.Helper()
	for i := range orders {
		orders[i].Provider = provider
	}
	return meshtest.StartJob(t, orders, nil)
}

// TestProcesses checks that all ranks reach the end of a run.
func TestProcesses(t *testing.T) {
	processes(t, func(t *testing.T, provider string) {
		o := meshtest.Order{Rounds: 200}
		meshtest.WantEnd(t, job(t, provider, o, o, o))
	})
}

// wantLost kills the process of rank 1 and checks that all others name it.
func wantLost(t *testing.T, all []*meshtest.Process) {
	t.Helper()
	all[1].Signal(t, syscall.SIGKILL)
	for _, p := range []*meshtest.Process{all[0], all[2]} {
		if r := p.Next(t); !strings.Contains(r.Error, "rank 1") {
			t.Errorf("rank %d: %+v, want an error that names rank 1", p.Rank, r)
		}
	}
}

// TestLost checks that all other ranks, even one that computes, name a process that is killed.
func TestLost(t *testing.T) {
	processes(t, func(t *testing.T, provider string) {
		wantLost(t, job(t, provider, meshtest.Order{}, meshtest.Order{}, meshtest.Order{Compute: true}))
	})
}

// TestLostInTransfer kills a process while it reads memory of one rank, and another rank reads its
// memory: nearly all of the time goes into large pieces.
func TestLostInTransfer(t *testing.T) {
	processes(t, func(t *testing.T, provider string) {
		if provider == "shm" {
			t.Skip("the killed process may hold a lock of the provider: TestStuck")
		}
		for i := range longtest.Cases(8, 2) {
			o := meshtest.Order{Push: 8 << 20}
			all := job(t, provider, o, o, o)
			time.Sleep(time.Duration(200+37*i) * time.Millisecond)
			wantLost(t, all)
		}
	})
}

// TestStops checks that no rank is lost while eight ranks share the processors, and some of them
// are stopped for a second, one after the other.
func TestStops(t *testing.T) {
	if testing.Short() {
		t.Skip("the pauses take some seconds")
	}
	processes(t, func(t *testing.T, provider string) {
		orders := make([]meshtest.Order, 8)
		orders[3].Compute = true
		meshtest.Pauses(t, job(t, provider, orders...), []int{0, 3, 5, 7}[:longtest.Cases(4, 2)])
	})
}

// TestGivenUp stops a process. All other ranks must name it, even one that computes. The test also
// checks which rank the process blames when it goes on.
func TestGivenUp(t *testing.T) {
	for _, compute := range []bool{false, true} {
		t.Run(fmt.Sprint("computes=", compute), func(t *testing.T) {
			processes(t, func(t *testing.T, provider string) {
				meshtest.GivenUp(t, job(t, provider, meshtest.Order{}, meshtest.Order{Compute: compute}, meshtest.Order{}), 1)
			})
		})
	}
}
