//go:build linux

package tcp_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
)

func TestMain(m *testing.M) {
	if meshtest.IsChild() {
		os.Exit(meshtest.Child(func(_ *meshtest.Order, cfg mesh.Config, m dimmnet.Member) dimmnet.Network { return tcp.Join(cfg, m) }))
	}
	_ = flag.Set("test.parallel", "8") // the parallel tests mostly wait
	goleak.VerifyTestMain(m)
}

// identities returns the encoded identities of the ranks of a job, or nil for each rank.
func identities(t *testing.T, size int, encrypt bool) [][]byte {
	t.Helper()
	all := make([][]byte, size)
	if !encrypt {
		return all
	}
	authority := meshtest.NewAuthority(t, size)
	for rank := range all {
		all[rank] = meshtest.Issue(t, authority, dimmnet.Rank(rank)).Encode()
	}
	return all
}

// TestStops checks that no rank is lost while sixteen ranks share the processors, and each is
// stopped for a second, one after the other.
func TestStops(t *testing.T) {
	const size = 16
	var orders []meshtest.Order
	for _, id := range identities(t, size, true) {
		orders = append(orders, meshtest.Order{Identity: id})
	}
	var ranks []int
	for i := range 2 * roundCount() {
		ranks = append(ranks, i*5%size)
	}
	meshtest.Pauses(t, meshtest.StartJob(t, orders, nil), ranks)
}

// TestGivenUp checks which rank a process blames that was stopped for too long.
func TestGivenUp(t *testing.T) {
	for _, compute := range []bool{false, true} {
		t.Run(fmt.Sprint("computes=", compute), func(t *testing.T) {
			t.Parallel()
			meshtest.GivenUp(t, meshtest.StartJob(t, []meshtest.Order{{}, {Compute: compute}, {}}, nil), 1)
		})
	}
}
