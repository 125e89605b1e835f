package tcp

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	helloTime  = 5 * time.Second // for a stranger to introduce himself
	mostHellos = 128             // strangers at the door at once
)

// connect returns a connection to each other rank, by rank. Higher ranks dial lower
// ones. It is a barrier of all ranks.
func connect(ctx context.Context, cfg *Config, m dimmnet.Member) (conns []net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.Joining)
	defer cancel()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(cfg.Listen, "0"))
	if err != nil {
		return nil, fmt.Errorf("tcp: listening for other ranks: %w", err)
	}
	at := listener.Addr().(*net.TCPAddr)
	if at.IP.IsUnspecified() {
		_ = listener.Close()
		return nil, fmt.Errorf("tcp: Config.Listen is %s, where nobody can be reached", cfg.Listen)
	}
	d := &door{listener: listener, self: m.Rank(), nodes: m.Size(), conns: make([]net.Conn, m.Size())}
	defer func() {
		cancel()
		d.shut()
		if err != nil {
			closeAll(d.conns)
		}
	}()
	own := newCard(cfg, at.String())
	blobs, err := m.Gather(ctx, own.append(nil))
	if err != nil {
		return nil, fmt.Errorf("tcp: gathering addresses: %w", err)
	}
	if len(blobs) != d.nodes {
		return nil, fmt.Errorf("tcp: %d ranks have gathered, not %d", len(blobs), d.nodes)
	}
	all, key, err := cards(blobs, own, int(d.self))
	if err != nil {
		return nil, err
	}
	d.key = key[:]
	d.open(ctx)
	for peer := range d.self {
		if err := d.dial(ctx, peer, all[peer].address); err != nil {
			return nil, fmt.Errorf("tcp: connecting to rank %d: %w", peer, err)
		}
	}
	return d.conns, d.await(ctx)
}

// door is where the connections of a rank are made.
type door struct {
	listener net.Listener
	self     dimmnet.Rank
	nodes    int
	key      []byte
	hellos   sync.WaitGroup
	complete chan struct{} // closed when all higher ranks are here

	mu      sync.Mutex
	conns   []net.Conn // by rank
	missing int        // of the higher ranks
}

// open lets higher ranks in until ctx is done or the door is shut.
func (d *door) open(ctx context.Context) {
	d.missing = d.nodes - 1 - int(d.self)
	d.complete = make(chan struct{})
	if d.missing == 0 {
		close(d.complete)
		return
	}
	places := make(chan struct{}, mostHellos)
	d.hellos.Go(func() {
		for {
			conn, err := d.listener.Accept()
			if err != nil {
				return // the door is shut
			}
			select {
			case places <- struct{}{}:
				d.hellos.Go(func() { d.greet(ctx, conn); <-places })
			case <-ctx.Done():
				_ = conn.Close()
			}
		}
	})
}

// greet keeps a connection if it is of a rank of this run.
func (d *door) greet(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	var peer dimmnet.Rank
	err := bounded(ctx, conn, func() (err error) {
		peer, err = acceptHello(conn, d.key, d.self, d.nodes)
		return err
	})
	if err != nil || !d.admit(peer, conn) {
		_ = conn.Close()
	}
}

// dial connects to a lower rank.
func (d *door) dial(ctx context.Context, peer dimmnet.Rank, address string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	err = bounded(ctx, conn, func() error { return dialHello(conn, d.key, d.self, peer) })
	if err != nil {
		_ = conn.Close()
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns[peer] = conn
	return nil
}

// admit notes the connection of a higher rank, unless it has one.
func (d *door) admit(peer dimmnet.Rank, conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conns[peer] != nil || d.missing == 0 {
		return false
	}
	d.conns[peer] = conn
	if d.missing--; d.missing == 0 {
		close(d.complete)
	}
	return true
}

// await returns when all higher ranks are here.
func (d *door) await(ctx context.Context) error {
	select {
	case <-d.complete:
		return nil
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for rank := int(d.self) + 1; rank < d.nodes; rank++ {
		if d.conns[rank] == nil {
			return fmt.Errorf("tcp: %d of %d ranks have not connected, the first of them rank %d: %w", d.missing, d.nodes, rank, dimmnet.ContextErr(ctx))
		}
	}
	return nil
}

// shut sends away who has not been admitted. What was done by ctx is over by then.
func (d *door) shut() {
	_ = d.listener.Close()
	d.hellos.Wait()
}

// bounded is f, which uses conn, and fails when ctx is done.
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
