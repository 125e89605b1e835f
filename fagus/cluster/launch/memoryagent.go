package launch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/fagus/checkpoint/partner"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// remember keeps checkpoints in the memory of this host until the orders end.
func (a *agent) remember(ctx context.Context, o *remember) error {
	memory, err := NewMemory()
	if err != nil {
		return err
	}
	server := partner.NewServer(memory.Folder)
	orders := make(chan *remember)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The goroutine ends when the launcher closes its end, perhaps after this function returns.
	go func() {
		defer close(orders)
		for {
			next, err := a.next()
			if err != nil || next.Remember == nil {
				return
			}
			select {
			case orders <- next.Remember:
			case <-ctx.Done():
				return
			}
		}
	}()
	for more := true; more && err == nil; {
		var r *remembered
		if r, err = obey(ctx, o, memory.Folder, server); err == nil {
			err = a.send(report{Remembered: r})
		}
		if err == nil {
			select {
			case o, more = <-orders:
			case <-ctx.Done():
				more = false
			}
		}
	}
	server.End()
	if closed := memory.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return a.send(report{Done: true})
}

// obey ends the service for the last attempt, and serves another one if o says so.
func obey(ctx context.Context, o *remember, folder string, server *partner.Server) (*remembered, error) {
	server.End()
	newest, err := server.Newest(ctx)
	if err != nil {
		return nil, err
	}
	r := &remembered{Number: o.Number, Folder: []byte(folder), Newest: newest}
	if !o.Serve {
		return r, nil
	}
	var id *identity.Identity
	if o.Identity != nil {
		if id, err = identity.Parse(o.Identity); err != nil {
			return nil, err
		}
	}
	at, err := listen(texts(o.Env))
	if err != nil {
		return nil, err
	}
	r.Address = at.Addr().String()
	return r, server.Serve(at, id, o.Host, o.Lost)
}

// listen listens where the ranks of other hosts can connect.
func listen(env []string) (at net.Listener, err error) {
	near, ports, err := outerAddress(env)
	if err != nil {
		return nil, err
	}
	err = ports.Listen(func(port uint16) (err error) {
		at, err = net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(near.Addr, port)))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("launch: listening at %s: %w", near, err)
	}
	return at, nil
}

// outerAddress returns the address at which others reach this host, and on which ports, according
// to the environment of the ranks.
func outerAddress(env []string) (at cluster.Interface, ports reach.Ports, err error) {
	env = slices.Concat(os.Environ(), env)
	if ports, err = reach.ParsePorts(cluster.Variable(env, "FAGUS_PORTS")); err != nil {
		return at, ports, fmt.Errorf("launch: FAGUS_PORTS: %w", err)
	}
	var near netip.Addr // the address of this host that ssh connected to
	if words := strings.Fields(os.Getenv("SSH_CONNECTION")); len(words) == 4 {
		near, _ = netip.ParseAddr(words[2])
	}
	at, err = cluster.OuterInterface(cluster.Variable(env, "FAGUS_INTERFACE"), near)
	return at, ports, err
}
