package cluster

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Job is the membership of one rank in a job, on one host or on several.
type Job interface {
	dimmnet.Member
	// Network returns the network that carries the job's data.
	Network() dimmnet.Network
	// Close leaves the job. It waits as Host.Close, Hosts.Close and Launched.Close do.
	Close(ctx context.Context) error
}

// Join joins the other ranks of place's job. With place.ByLauncher the ranks join through their
// launcher (JoinLauncher). Otherwise Join authenticates every one of them. Ranks that meet
// at a host:port prove their rank with spec.Identity (JoinHosts). Ranks of one host need no
// identity: they meet at a Unix socket, where the kernel tells the user of each process. They do
// so if place has no rendezvous (JoinHost), and also if its rendezvous is a loopback address and
// spec has neither Identity nor Insecure nor Interface.
func Join(ctx context.Context, place Place, spec Spec) (Job, error) {
	if place.ByLauncher {
		return JoinLauncher(ctx, place, spec)
	}
	if !place.Spans() {
		return JoinHost(ctx, place, spec)
	}
	if spec.Identity != nil || spec.Insecure || spec.Interface != "" || supported() != nil {
		return JoinHosts(ctx, place, spec)
	}
	if err := place.check(); err != nil {
		return nil, err
	}
	timeout, err := patience(ctx, spec.Timeout, defaultTimeout)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(timeout)
	meet, err := awaitMeetingPoints(ctx, place.Rendezvous, deadline)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(meet, func(a netip.AddrPort) bool { return !a.Addr().IsLoopback() }) {
		return JoinHosts(ctx, place, spec)
	}
	if err := place.checkLocalSize(); err != nil {
		return nil, err
	}
	// Named by the port alone: localhost and 127.0.0.1 are one meeting point.
	spec.Timeout = max(time.Until(deadline), time.Millisecond)
	return joinHost(ctx, place, spec, ownSocket(fmt.Sprintf("port-%d", meet[0].Port())))
}
