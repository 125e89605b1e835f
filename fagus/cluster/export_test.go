package cluster

import (
	"context"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	memberlists "github.com/fagus-dsm/fagus/fagus/cluster/gossip"
)

// AllDrivers are those of all tests.
func AllDrivers() []Driver { return []Driver{memberlists.Driver{}, quic.Driver{}} }

// HelloPacket returns the hello of a process with the given place, as it sends it to rank 0.
func HelloPacket(place Place, pid int) ([]byte, error) {
	m, err := newHello(place, pid, time.Minute).message()
	return m.encode(), err
}

// JoinHostsWithAll is JoinHosts with all drivers.
func JoinHostsWithAll(ctx context.Context, place Place, spec Spec) (*Hosts, error) {
	spec.Drivers = AllDrivers()
	return JoinHosts(ctx, place, spec)
}

// JoinWithAll is Join with all drivers.
func JoinWithAll(ctx context.Context, place Place, spec Spec) (Job, error) {
	spec.Drivers = AllDrivers()
	return Join(ctx, place, spec)
}
