package quic

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	quicgo "github.com/quic-go/quic-go"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/reach"
)

const (
	helloTime  = 5 * time.Second // for a stranger to introduce himself
	mostHellos = 128             // strangers at the door at once
	dialPause  = 50 * time.Millisecond
)

// Why a connection is closed, as the peer is told.
const (
	codeOver    quicgo.ApplicationErrorCode = iota // both have what they want
	codeRefused                                    // it is not of this run
	codeLate                                       // the peer did not say in time that it has everything
)

// joined is what a rank has of the others when all are connected.
type joined struct {
	socket    *net.UDPConn
	transport *quicgo.Transport // over socket
	peers     []*peer           // by rank; nil for the own
}

// peer is the connection to another rank.
type peer struct {
	conn *quicgo.Conn
	out  *quicgo.SendStream
	in   *quicgo.ReceiveStream
}

// close ends all connections at once.
func (j *joined) close() {
	for _, p := range j.peers {
		if p != nil {
			_ = p.conn.CloseWithError(codeLate, "")
		}
	}
	j.release()
}

// release gives the socket back.
func (j *joined) release() {
	_ = j.transport.Close()
	_ = j.socket.Close()
}

// connect connects to each other rank. Higher ranks dial lower ones. It is a barrier of
// all ranks.
func connect(ctx context.Context, cfg *Config, m dimmnet.Member) (_ *joined, err error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.Joining)
	defer cancel()
	socket, err := listen(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("quic: listening for other ranks: %w", err)
	}
	j := &joined{socket: socket, transport: &quicgo.Transport{Conn: socket}, peers: make([]*peer, m.Size())}
	defer func() {
		if err != nil {
			j.close()
		}
	}()
	addresses, err := reach.Addresses(cfg.Reach, socket.LocalAddr().(*net.UDPAddr).AddrPort())
	if err != nil {
		return nil, fmt.Errorf("quic: %w", err)
	}
	r, err := meet(ctx, cfg, m, addresses)
	if err != nil {
		return nil, err
	}
	d := &door{roster: r, transport: j.transport, cfg: cfg.quic(), self: m.Rank(), peers: j.peers}
	if err := d.open(ctx); err != nil {
		return nil, fmt.Errorf("quic: listening for other ranks: %w", err)
	}
	defer d.shut(cancel)
	for rank := range d.self {
		if err := d.dialAny(ctx, rank); err != nil {
			return nil, fmt.Errorf("quic: connecting to rank %d: %w", rank, err)
		}
	}
	return j, d.await(ctx)
}

// listen opens the one socket of this rank.
func listen(host string) (*net.UDPConn, error) {
	at, err := net.ResolveUDPAddr("udp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, err
	}
	return net.ListenUDP("udp", at)
}

// dialAny connects to a lower rank at one of its addresses. It tries them again as long as
// there is one that cannot be reached just now.
func (d *door) dialAny(ctx context.Context, rank dimmnet.Rank) error {
	for {
		err := d.dialEach(ctx, rank)
		if err == nil || !unreachable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(dialPause):
		}
	}
}

// unreachable says whether the network may be to blame for err, and not who is called.
func unreachable(err error) bool {
	var late net.Error
	var system *net.OpError
	return errors.As(err, &late) && late.Timeout() || errors.As(err, &system)
}

// dialEach tries each address once. None takes the time of the others.
func (d *door) dialEach(ctx context.Context, rank dimmnet.Rank) error {
	var failures []error
	addresses := d.addresses[rank]
	for i, address := range addresses {
		end, _ := ctx.Deadline()
		one, cancel := context.WithTimeout(ctx, time.Until(end)/time.Duration(len(addresses)-i))
		p, err := d.dial(one, rank, address)
		cancel()
		if err == nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.peers[rank] = p
			return nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", address, err))
	}
	return errors.Join(failures...)
}

// dial connects to a lower rank at an address.
func (d *door) dial(ctx context.Context, rank dimmnet.Rank, address string) (*peer, error) {
	at, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, err
	}
	conn, err := d.transport.Dial(ctx, at, d.id.Client(rank), d.cfg)
	if err != nil {
		return nil, err
	}
	p := &peer{conn: conn}
	if p.out, err = sayHello(conn, d.key, d.self, rank); err == nil {
		p.in, err = hearHello(ctx, conn, d.key, rank, d.self)
	}
	if err != nil {
		_ = conn.CloseWithError(codeRefused, "")
		return nil, err
	}
	return p, nil
}
