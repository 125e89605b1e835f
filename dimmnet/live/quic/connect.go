package quic

import (
	"context"
	"errors"
	"fmt"
	"net"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// The codes with which a connection is closed.
const (
	codeOver    quicgo.ApplicationErrorCode = iota // both sides have received everything
	codeRefused                                    // the peer is not of this run
	codeLate                                       // the peer's receipt did not come in time
)

type joined struct {
	socket    *net.UDPConn
	transport *quicgo.Transport // uses socket
	peers     []*peer           // by rank; nil for the own rank
}

func (j *joined) close() {
	for _, p := range j.peers {
		if p != nil {
			_ = p.conn.CloseWithError(codeLate, "")
		}
	}
	j.release()
}

func (j *joined) release() {
	_ = j.transport.Close()
	_ = j.socket.Close()
}

// connect connects this rank to all others. It is a barrier of all ranks.
func connect(ctx context.Context, cfg *Config, m dimmnet.Member) (_ *joined, err error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.Joining)
	defer cancel()
	socket, err := listen(cfg.Listen, cfg.Ports)
	if err != nil {
		return nil, fmt.Errorf("quic: listening for other ranks: %w", err)
	}
	j := &joined{socket: socket, transport: &quicgo.Transport{Conn: lossy{socket}}, peers: make([]*peer, m.Size())}
	defer func() {
		if err != nil {
			j.close()
		}
	}()
	addresses, err := reach.Addresses(cfg.Reach, socket.LocalAddr().(*net.UDPAddr).AddrPort())
	if err != nil {
		return nil, fmt.Errorf("quic: %w", err)
	}
	peers, id, err := exchange(ctx, cfg, m, addresses)
	if err != nil {
		return nil, err
	}
	d := &dialer{key: peers.Key, id: id, transport: j.transport, cfg: quicConfig(cfg), self: m.Rank()}
	if int(d.self) < m.Size()-1 {
		if d.listener, err = d.transport.Listen(d.id.Server(), d.cfg); err != nil {
			return nil, fmt.Errorf("quic: listening for other ranks: %w", err)
		}
	}
	r := d.rendezvous(j.peers)
	defer func() {
		cancel()
		r.Close()
	}()
	r.Accept(ctx)
	if err := r.Dial(ctx, peers.Endpoints); err != nil {
		return nil, err
	}
	return j, r.Wait(ctx)
}

func listen(host string, ports reach.Ports) (socket *net.UDPConn, err error) {
	at, err := net.ResolveUDPAddr("udp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, err
	}
	err = ports.Listen(func(port uint16) (err error) {
		at.Port = int(port)
		socket, err = net.ListenUDP("udp", at)
		return err
	})
	return socket, err
}

type dialer struct {
	self      dimmnet.Rank
	id        *identity.Identity
	key       []byte // the run's key
	transport *quicgo.Transport
	cfg       *quicgo.Config
	listener  *quicgo.Listener // nil if there are no higher ranks
}

func (d *dialer) rendezvous(peers []*peer) *mesh.Rendezvous[*quicgo.Conn, *peer] {
	return mesh.NewRendezvous(networkName, d.self, peers, nil, mesh.Methods[*quicgo.Conn, *peer]{
		Accept:    func(ctx context.Context) (*quicgo.Conn, error) { return d.listener.Accept(ctx) },
		Handshake: d.handshake,
		Refuse:    func(conn *quicgo.Conn) { _ = conn.CloseWithError(codeRefused, "") },
		Dial:      d.dial,
		Retry:     unreachable,
		Close: func() {
			if d.listener != nil {
				_ = d.listener.Close()
			}
		},
	})
}

// handshake authenticates the rank that dialed. TLS has proved that it belongs to the job.
func (d *dialer) handshake(ctx context.Context, conn *quicgo.Conn) (rank dimmnet.Rank, p *peer, err error) {
	p = &peer{conn: conn}
	if rank, err = d.id.Peer(conn.ConnectionState().TLS); err != nil {
		return rank, nil, err
	}
	if rank < d.self {
		return rank, nil, fmt.Errorf("rank %d dials rank %d: want the higher rank to dial the lower", rank, d.self)
	}
	if p.in, err = acceptStream(ctx, conn, d.key, rank, d.self); err != nil {
		return rank, nil, err
	}
	p.out, err = openStream(conn, d.key, d.self, rank)
	return rank, p, err
}

func (d *dialer) dial(ctx context.Context, rank dimmnet.Rank, address string) (*peer, error) {
	at, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, err
	}
	conn, err := d.transport.Dial(ctx, at, d.id.Client(rank), d.cfg)
	if err != nil {
		return nil, err
	}
	p := &peer{conn: conn}
	if p.out, err = openStream(conn, d.key, d.self, rank); err == nil {
		p.in, err = acceptStream(ctx, conn, d.key, rank, d.self)
	}
	if err != nil {
		_ = conn.CloseWithError(codeRefused, "")
		return nil, err
	}
	return p, nil
}

func unreachable(err error) bool {
	var late net.Error
	var system *net.OpError
	return errors.As(err, &late) && late.Timeout() || errors.As(err, &system)
}
