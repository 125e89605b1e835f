package gossip

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"

	"github.com/hashicorp/memberlist"
)

// boundedStreams is memberlist's transport with a bound of incoming connections at a time;
// further ones wait in the listener. memberlist itself closes each after streamTimeout.
type boundedStreams struct {
	*memberlist.NetTransport
	streams chan net.Conn
	slots   chan struct{}
	closing chan struct{} // closed by Shutdown
	closed  chan struct{} // closed when nothing more comes from the NetTransport
	pump    sync.WaitGroup
	once    sync.Once // Shutdown
	failure error     // of Shutdown
}

// newBoundedStreams opens the sockets of c, and sets the port of c if it is 0.
func newBoundedStreams(c *memberlist.Config, most int) (*boundedStreams, error) {
	attempts := 1
	if c.BindPort == 0 {
		attempts = 10 // the port that the kernel chooses for TCP may be in use for UDP
	}
	for {
		attempts--
		inner, err := memberlist.NewNetTransport(&memberlist.NetTransportConfig{BindAddrs: []string{c.BindAddr}, BindPort: c.BindPort, Logger: c.Logger})
		if err != nil {
			// memberlist keeps only the text.
			if strings.Contains(err.Error(), syscall.EADDRINUSE.Error()) {
				err = fmt.Errorf("%w: %w", syscall.EADDRINUSE, err)
			}
			if errors.Is(err, syscall.EADDRINUSE) && attempts > 0 {
				continue
			}
			return nil, err
		}
		c.BindPort = inner.GetAutoBindPort()
		c.AdvertisePort = c.BindPort
		b := &boundedStreams{
			NetTransport: inner, streams: make(chan net.Conn), slots: make(chan struct{}, most),
			closing: make(chan struct{}), closed: make(chan struct{}),
		}
		b.pump.Go(b.forward)
		return b, nil
	}
}

// StreamCh replaces StreamCh of the NetTransport.
func (b *boundedStreams) StreamCh() <-chan net.Conn { return b.streams }

func (b *boundedStreams) forward() {
	for {
		select {
		case b.slots <- struct{}{}:
		case <-b.closing:
		}
		select {
		case c := <-b.NetTransport.StreamCh():
			s := &slotted{Conn: c, free: b.free}
			select {
			case b.streams <- s:
			case <-b.closing:
				_ = c.Close() // nothing was read from it
			}
		case <-b.closed:
			return
		}
	}
}

func (b *boundedStreams) free() {
	select {
	case <-b.slots:
	default: // forward takes no slot while the transport is closing
	}
}

// Shutdown closes the sockets. It replaces Shutdown of the NetTransport, which waits until all
// accepted connections are taken.
func (b *boundedStreams) Shutdown() error {
	b.once.Do(func() {
		close(b.closing)
		b.failure = b.NetTransport.Shutdown()
		close(b.closed)
		b.pump.Wait()
	})
	return b.failure
}

// slotted is an incoming connection that occupies a slot until it is closed.
type slotted struct {
	net.Conn
	free func()
	once sync.Once
}

func (s *slotted) Close() error {
	err := s.Conn.Close()
	s.once.Do(s.free)
	return err
}
