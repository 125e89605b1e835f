package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
	"github.com/fagus-dsm/fagus/dimmnet/reach"
)

const (
	helloTime  = 5 * time.Second // for a stranger to introduce himself
	mostHellos = 128             // strangers at the door at once
	dialPause  = 50 * time.Millisecond
)

// joined is what a rank has of the others when all are connected.
type joined struct {
	conns []net.Conn // by rank: TCP, or TLS over it
	key   []byte     // of the run
	udp   *net.UDPConn
	ports []uint16     // of the others' beats, by rank
	cpus  []cpuset.Set // that their processes may use, by rank
}

func (j *joined) close() {
	closeAll(j.conns)
	if j.udp != nil {
		_ = j.udp.Close()
	}
}

// connect connects to each other rank. Higher ranks dial lower ones. It is a barrier of
// all ranks.
func connect(ctx context.Context, cfg *Config, m dimmnet.Member) (_ *joined, err error) {
	ctx, cancel := context.WithTimeout(ctx, cfg.Joining)
	defer cancel()
	listener, udp, err := listen(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("tcp: listening for other ranks: %w", err)
	}
	j := &joined{conns: make([]net.Conn, m.Size()), udp: udp}
	d := &door{listener: listener, id: cfg.Identity, self: m.Rank(), nodes: m.Size(), conns: j.conns}
	defer func() {
		cancel()
		d.shut()
		if err != nil {
			j.close()
		}
	}()
	at := listener.Addr().(*net.TCPAddr)
	addresses, err := reach.Addresses(cfg.Reach, at.AddrPort())
	if err != nil {
		return nil, fmt.Errorf("tcp: %w", err)
	}
	own := newCard(cfg, addresses)
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
	d.key, j.key = key[:], key[:]
	for _, c := range all {
		j.ports = append(j.ports, c.port)
		j.cpus = append(j.cpus, c.cpus)
	}
	d.open(ctx)
	if !at.IP.IsUnspecified() {
		d.from = &net.TCPAddr{IP: at.IP, Zone: at.Zone}
	}
	for peer := range d.self {
		if err := d.dialAny(ctx, peer, all[peer].addresses); err != nil {
			return nil, fmt.Errorf("tcp: connecting to rank %d: %w", peer, err)
		}
	}
	return j, d.await(ctx)
}

// door is where the connections of a rank are made.
type door struct {
	listener net.Listener
	self     dimmnet.Rank
	nodes    int
	id       *identity.Identity // nil: nothing is encrypted
	from     net.Addr           // where this rank calls from; nil: anywhere
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
func (d *door) greet(ctx context.Context, raw net.Conn) {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	conn := raw
	var peer dimmnet.Rank
	err := bounded(ctx, raw, func() (err error) {
		var proved dimmnet.Rank
		if conn, proved, err = acceptTLS(raw, d.id); err != nil {
			return err
		}
		peer, err = acceptHello(conn, d.key, d.self, d.nodes)
		if err == nil && d.id != nil && peer != proved {
			err = fmt.Errorf("rank %d says that it is rank %d", proved, peer)
		}
		return err
	})
	if err != nil || !d.admit(peer, conn) {
		_ = raw.Close()
	}
}

// dialAny connects to a lower rank at one of its addresses. It tries them again as long as
// there is one that cannot be reached just now.
func (d *door) dialAny(ctx context.Context, peer dimmnet.Rank, addresses []string) error {
	for {
		err := d.dialEach(ctx, peer, addresses)
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
	for _, e := range []error{syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.ETIMEDOUT, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// dialEach tries each address once. None takes the time of the others.
func (d *door) dialEach(ctx context.Context, peer dimmnet.Rank, addresses []string) error {
	var failures []error
	for i, address := range addresses {
		end, _ := ctx.Deadline()
		one, cancel := context.WithTimeout(ctx, time.Until(end)/time.Duration(len(addresses)-i))
		err := d.dial(one, peer, address)
		cancel()
		if err == nil {
			return nil
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// dial connects to a lower rank.
func (d *door) dial(ctx context.Context, peer dimmnet.Rank, address string) error {
	dialer := net.Dialer{}
	if d.from != nil {
		dialer.LocalAddr = d.from
	}
	raw, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	conn := raw
	err = bounded(ctx, raw, func() (err error) {
		if conn, err = dialTLS(raw, d.id, peer); err != nil {
			return err
		}
		return dialHello(conn, d.key, d.self, peer)
	})
	if err != nil {
		_ = raw.Close()
		return fmt.Errorf("%s: %w", address, err)
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
