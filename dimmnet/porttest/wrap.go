package porttest

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Wrap wraps every port of network, for tests that refuse, reorder or watch posts.
func Wrap(network dimmnet.Network, wrap func(dimmnet.Port) dimmnet.Port) dimmnet.Network {
	return wrapped{network, wrap}
}

type wrapped struct {
	dimmnet.Network
	wrap func(dimmnet.Port) dimmnet.Port
}

func (w wrapped) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	return w.Network.Run(ctx, nodes, func(h dimmnet.Host) error {
		return body(wrappedHost{h, w.wrap(h.Port()), w.wrap})
	})
}

type wrappedHost struct {
	dimmnet.Host
	port dimmnet.Port
	wrap func(dimmnet.Port) dimmnet.Port
}

// Go wraps the port of the new thread as well.
func (h wrappedHost) Go(name string, f func(dimmnet.Host) error) {
	h.Host.Go(name, func(own dimmnet.Host) error {
		return f(wrappedHost{own, h.wrap(own.Port()), h.wrap})
	})
}

func (h wrappedHost) Port() dimmnet.Port { return h.port }

// Limited returns p with other limits. It does not enforce them.
func Limited(p dimmnet.Port, limits dimmnet.Limits) dimmnet.Port { return limited{p, limits} }

type limited struct {
	dimmnet.Port
	limits dimmnet.Limits
}

func (p limited) Limits() dimmnet.Limits { return p.limits }
