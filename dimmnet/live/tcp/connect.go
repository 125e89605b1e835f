package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// joined is a rank that is connected to all others, or to some and on demand to more.
type joined struct {
	conns []net.Conn // by rank: TCP, or TLS over TCP; nil for the own rank
	key   []byte     // the run's key
	udp   *net.UDPConn
	ports []uint16     // by rank: the UDP port for beats
	cpus  []cpuset.Set // by rank: the processors that its process may use
	near  []bool       // by rank: the rank has the same addresses as this one
	more  *demand      // nil if all ranks are connected
}

func (j *joined) close() {
	if j.more != nil {
		j.more.Close()
	}
	closeAll(j.conns)
	if j.udp != nil {
		_ = j.udp.Close()
	}
}

// connect connects this rank to all others or, with more ranks than cfg.Direct, to its neighbours
// in a tree. Until all ranks have called it, none returns.
func connect(ctx context.Context, cfg *Config, m dimmnet.Member) (_ *joined, err error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.Joining)
	defer cancel()
	listener, udp, err := listen(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("tcp: listening for other ranks: %w", err)
	}
	j := &joined{conns: make([]net.Conn, m.Size()), udp: udp}
	d := &dialer{listener: listener, id: cfg.Identity, self: m.Rank(), nodes: m.Size()}
	accepting, stop := context.WithCancel(context.WithoutCancel(ctx))
	onDemand := m.Size() > cfg.Direct
	r := d.rendezvous(j.conns, onDemand)
	defer func() {
		if err == nil && onDemand {
			return
		}
		cancel()
		stop()
		r.Close()
		if err != nil {
			closeAll(r.Take())
			j.close()
		}
	}()
	at := listener.Addr().(*net.TCPAddr)
	if !at.IP.IsUnspecified() {
		d.from = &net.TCPAddr{IP: at.IP, Zone: at.Zone}
	}
	addresses, err := reach.Addresses(cfg.Reach, at.AddrPort())
	if err != nil {
		return nil, fmt.Errorf("tcp: %w", err)
	}
	peers, err := mesh.NewEndpoint(cfg, cfg.Sums(), addresses).Exchange(ctx, networkName, m)
	if err != nil {
		return nil, err
	}
	d.key, j.key = peers.Key, peers.Key
	for _, e := range peers.Endpoints {
		port, err := e.Port()
		if err != nil {
			return nil, fmt.Errorf("tcp: %w", err)
		}
		j.ports, j.cpus, j.near = append(j.ports, port), append(j.cpus, e.CPUs), append(j.near, e.SameHost(peers.Endpoints[m.Rank()]))
	}
	r.Accept(accepting)
	if err := r.Dial(ctx, peers.Endpoints); err != nil {
		return nil, err
	}
	if err := r.Wait(ctx); err != nil {
		return nil, err
	}
	j.conns = r.Take()
	if onDemand {
		j.more = newDemand(r, peers.Endpoints, stop)
	}
	return j, nil
}

type dialer struct {
	listener net.Listener
	self     dimmnet.Rank
	nodes    int
	id       *identity.Identity // nil: connections are not encrypted
	from     net.Addr           // the local address of connections; nil: any
	key      []byte             // the run's key
}

// rendezvous is a rendezvous of TCP connections. Its Raw and Conn are the same, or TCP and TLS.
type rendezvous = mesh.Rendezvous[net.Conn, net.Conn]

func (d *dialer) rendezvous(conns []net.Conn, onDemand bool) *rendezvous {
	var expected func(dimmnet.Rank) bool
	if onDemand {
		expected = func(r dimmnet.Rank) bool { return stream.Neighbours(d.self, r) }
	}
	return mesh.NewRendezvous(networkName, d.self, conns, expected, mesh.Methods[net.Conn, net.Conn]{
		Accept:    func(context.Context) (net.Conn, error) { return d.listener.Accept() },
		Handshake: d.handshake,
		Refuse:    func(conn net.Conn) { _ = conn.Close() },
		Answer:    answer,
		Dial:      d.dial,
		Retry:     unreachable,
		Close:     func() { _ = d.listener.Close() },
	})
}

func (d *dialer) handshake(ctx context.Context, raw net.Conn) (peer dimmnet.Rank, conn net.Conn, err error) {
	err = bounded(ctx, raw, func() (err error) {
		var certified dimmnet.Rank
		if conn, certified, err = acceptTLS(raw, d.id); err != nil {
			return err
		}
		peer, err = acceptHandshake(conn, d.key, d.self, d.nodes)
		if err == nil && d.id != nil && peer != certified {
			err = fmt.Errorf("a peer with the certificate of rank %d claims to be rank %d", certified, peer)
		}
		return err
	})
	return peer, conn, err
}

// answer ends a handshake.
func answer(ctx context.Context, conn net.Conn, admitted bool) error {
	last := []byte{answerCrossed}
	if admitted {
		last[0] = answerAdmitted
	}
	return bounded(ctx, conn, func() error {
		_, err := conn.Write(last)
		return err
	})
}

func (d *dialer) dial(ctx context.Context, peer dimmnet.Rank, address string) (conn net.Conn, err error) {
	dialer := net.Dialer{LocalAddr: d.from, Control: latePort}
	raw, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	err = bounded(ctx, raw, func() (err error) {
		if conn, err = dialTLS(raw, d.id, peer); err != nil {
			return err
		}
		return dialHandshake(conn, d.key, d.self, peer)
	})
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	return conn, nil
}

func unreachable(err error) bool {
	for _, e := range []error{syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.ETIMEDOUT, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// bounded calls f, which uses conn. It makes f fail when ctx is done.
func bounded(ctx context.Context, conn net.Conn, f func() error) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err := f()
	if !stop() {
		return dimmnet.ContextErr(ctx)
	}
	return err
}

func closeAll(conns []net.Conn) {
	for _, conn := range conns {
		if conn != nil {
			_ = conn.Close()
		}
	}
}
