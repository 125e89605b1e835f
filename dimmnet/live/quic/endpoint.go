package quic

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// newEndpoint returns the endpoint of rank m, which can be reached at addresses. If no rank has an
// identity, rank 0 issues the identities of all ranks.
func newEndpoint(cfg *Config, m dimmnet.Member, addresses []string) (*mesh.Endpoint, error) {
	e := mesh.NewEndpoint(cfg, stream.SumNone, addresses)
	if cfg.Identity != nil || m.Rank() != 0 {
		return e, nil
	}
	authority, err := identity.NewAuthority(m.Size())
	if err != nil {
		return nil, fmt.Errorf("quic: %w", err)
	}
	for rank := range m.Size() {
		id, err := authority.Issue(dimmnet.Rank(rank))
		if err != nil {
			return nil, fmt.Errorf("quic: %w", err)
		}
		e.Identities = append(e.Identities, id.Encode())
	}
	return e, nil
}

func exchange(ctx context.Context, cfg *Config, m dimmnet.Member, addresses []string) (*mesh.Peers, *identity.Identity, error) {
	own, err := newEndpoint(cfg, m, addresses)
	if err != nil {
		return nil, nil, err
	}
	peers, err := own.Exchange(ctx, networkName, m)
	if err != nil || cfg.Identity != nil {
		return peers, cfg.Identity, err
	}
	id, err := issued(peers.Endpoints[0].Identities, m)
	return peers, id, err
}

func issued(all [][]byte, m dimmnet.Member) (*identity.Identity, error) {
	if len(all) != m.Size() {
		return nil, fmt.Errorf("quic: rank 0 has issued %d identities for %d ranks", len(all), m.Size())
	}
	id, err := identity.Parse(all[m.Rank()])
	if err != nil {
		return nil, fmt.Errorf("quic: the identity that rank 0 has issued: %w", err)
	}
	if id.Rank() != m.Rank() || id.Size() != m.Size() {
		return nil, fmt.Errorf("quic: rank 0 has issued the identity of %v for rank %d of %d", id, m.Rank(), m.Size())
	}
	return id, nil
}
