package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	ports "github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

// secretBytes is the length of the random text without which a probe answers nobody.
const secretBytes = 16

// replyBytes is the length of a datagram's reply: the secret, and two bytes that number the
// datagram.
const replyBytes = secretBytes + 2

// probe listens at ports of this host, by TCP and UDP, and returns what begins with the secret.
type probe struct {
	secret  []byte
	mtu     int // of the interface; 0: unknown
	closers []io.Closer
	servers sync.WaitGroup
}

func (p *probe) close() {
	for _, c := range p.closers {
		_ = c.Close() // nothing was stored in it
	}
	p.servers.Wait()
}

func (p *probe) listen(l *listen) (*listening, error) {
	span, err := ports.ParsePorts(l.Ports)
	if err != nil {
		return nil, err
	}
	if len(l.Secret) != secretBytes {
		return nil, fmt.Errorf("doctor: a secret of %d bytes: want %d", len(l.Secret), secretBytes)
	}
	on, err := l.choose()
	if err != nil {
		return nil, err
	}
	p.secret = l.Secret
	if device, err := net.InterfaceByName(on.Name); err == nil {
		p.mtu = device.MTU
	}
	at := &listening{Addr: on.Addr, Where: on.String()}
	port := int(span.First)
	for tries := 0; tries < 1<<16 && len(at.Ports) < l.Want && port <= int(span.Last); tries++ {
		got, err := p.open(netip.AddrPortFrom(on.Addr, uint16(port)))
		switch {
		case err == nil:
			at.Ports = append(at.Ports, got)
		case !errors.Is(err, syscall.EADDRINUSE):
			return nil, err
		case port != 0:
			at.Busy = append(at.Busy, uint16(port))
		}
		if span != (ports.Ports{}) {
			port++
		}
	}
	return at, nil
}

// open listens at one port, by TCP and UDP. Port 0 stands for any free port.
func (p *probe) open(at netip.AddrPort) (port uint16, err error) {
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return 0, err
	}
	port = l.Addr().(*net.TCPAddr).AddrPort().Port()
	u, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at.Addr(), port)))
	if err != nil {
		return 0, errors.Join(err, l.Close())
	}
	p.closers = append(p.closers, l, u)
	p.servers.Go(func() {
		for {
			c, err := l.AcceptTCP()
			if err != nil {
				return
			}
			p.servers.Go(func() { p.welcome(c) })
		}
	})
	p.servers.Go(func() { p.reply(u) })
	return port, nil
}

// welcome returns the secret to a peer that sends it.
func (p *probe) welcome(c *net.TCPConn) {
	defer c.Close()
	got := make([]byte, secretBytes)
	if err := c.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return
	}
	if _, err := io.ReadFull(c, got); err == nil && bytes.Equal(got, p.secret) {
		_, _ = c.Write(got) // the peer notices if it does not come
	}
}

// reply returns the beginnings of datagrams that have the secret.
func (p *probe) reply(u *net.UDPConn) {
	buffer := make([]byte, 1<<16)
	for {
		n, from, err := u.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && n >= replyBytes && bytes.HasPrefix(buffer[:n], p.secret) {
			_, _ = u.WriteToUDPAddrPort(buffer[:replyBytes], from) // losses are measured
		}
	}
}

// try connects to all ports of all targets at once. mtu is that of this host's interface.
func (r *reach) try(mtu int) []contact {
	sizes := packets(mtu)
	all := make([]contact, len(r.To))
	wait := time.Duration(r.WaitNS)
	var work sync.WaitGroup
	few := make(chan struct{}, 256) // bounds the open connections
	begin := func(do func()) {
		few <- struct{}{}
		work.Go(func() {
			do()
			<-few
		})
	}
	for i, to := range r.To {
		c := &all[i]
		c.To, c.Addr, c.Sent = to.Host, to.Addr, sizes[0]
		var mu sync.Mutex // guards c
		for k, port := range to.Ports {
			at := netip.AddrPortFrom(to.Addr, port)
			begin(func() {
				rtt, err := connect(at, r.Secret, wait)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					c.TCPFailed = append(c.TCPFailed, failedPort{port, whyNot(err)})
				} else if c.RTTNS == 0 || rtt.Nanoseconds() < c.RTTNS {
					c.RTTNS = rtt.Nanoseconds()
				}
			})
			begin(func() {
				try := sizes
				if k > 0 {
					try = nil // one port shows the size
				}
				mtu, passed := exchange(at, r.Secret, try, wait)
				mu.Lock()
				defer mu.Unlock()
				if !passed {
					c.UDPFailed = append(c.UDPFailed, port)
				}
				c.MTU = max(c.MTU, mtu)
			})
		}
	}
	work.Wait()
	for i := range all {
		slices.Sort(all[i].UDPFailed)
		slices.SortFunc(all[i].TCPFailed, func(a, b failedPort) int { return int(a.Port) - int(b.Port) })
	}
	return all
}

// whyNot returns the reason in an error without the addresses, which the report names.
func whyNot(err error) string {
	var e net.Error
	if errors.As(err, &e) && e.Timeout() {
		return "timeout: is the port open?"
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// connect returns the time that a connection took to be there.
func connect(at netip.AddrPort, secret []byte, wait time.Duration) (time.Duration, error) {
	begun := time.Now()
	c, err := net.DialTimeout("tcp", at.String(), wait)
	if err != nil {
		return 0, err
	}
	took := time.Since(begun)
	defer c.Close()
	got := make([]byte, secretBytes)
	err = c.SetDeadline(time.Now().Add(wait))
	if err == nil {
		_, err = c.Write(secret)
	}
	if err == nil {
		_, err = io.ReadFull(c, got)
	}
	if err == nil && !bytes.Equal(got, secret) {
		err = errors.New("another program answers")
	}
	return took, err
}

// packets returns the sizes of packets, in bytes with headers, that exchange tries: what the
// interface sends, and smaller sizes that tunnels and clouds have.
func packets(mtu int) []int {
	sizes := []int{min(mtu, 9000)} // only loopback devices have more
	for _, s := range []int{8900, 1500, 1492, 1480, 1460, 1450, 1440, 1420, 1400, 1380, 1280} {
		if s < sizes[0] {
			sizes = append(sizes, s)
		}
	}
	return sizes
}

// exchange sends datagrams and reports whether one was answered. mtu is the largest of sizes, which
// decrease, that came through whole; 0 if that is unknown.
func exchange(at netip.AddrPort, secret []byte, sizes []int, wait time.Duration) (mtu int, passed bool) {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(at))
	if err != nil {
		return 0, false
	}
	defer c.Close()
	headers := 28
	if at.Addr().Is6() {
		headers = 48
	}
	if doNotFragment(c, at.Addr().Is6()) != nil {
		sizes = nil
	}
	sizes = append([]int{0}, sizes...) // 0: a datagram of the least size
	const rounds = 3                   // datagrams may be lost
	for range rounds {
		for i, size := range sizes {
			d := append(slices.Clone(secret), 0, byte(i))
			d = append(d, make([]byte, max(0, size-headers-len(d)))...)
			_, _ = c.Write(d) // larger than the interface permits, or refused
		}
		_ = c.SetReadDeadline(time.Now().Add(wait / rounds)) // Read fails if it does not work
		for got := make([]byte, 64); ; {
			n, err := c.Read(got)
			if errors.Is(err, syscall.ECONNREFUSED) {
				continue // reported once for each datagram that was refused
			}
			if err != nil {
				break
			}
			if n == replyBytes && bytes.Equal(got[:secretBytes], secret) && int(got[n-1]) < len(sizes) {
				passed = true
				mtu = max(mtu, sizes[got[n-1]])
				if len(sizes) == 1 || mtu == sizes[1] {
					return mtu, true
				}
			}
		}
		if passed {
			return mtu, true
		}
	}
	return 0, false
}
